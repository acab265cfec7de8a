// Where a header that Vary names comes in several lines, the origin has read all of them, and Varnish tells objects
// apart by the first one alone: the others would be one visitor's word in a response for all.
sub refuse_repeated {
  if (beresp.http.Vary) {
    call collect_names;
    if (beresp.http.Vary + ":" + beresp.http.X-Names
        ~ "(?i)^(?:[^:]*[\s,])?([^\s,:]+)[\s,]*(?:,[^:]*)?:(?:[^,]++,)*?\1,(?:[^,]++,)*?\1(?:,|$)") {
      unset beresp.http.X-Names;
      // Not remembered: the next visitor's may be stored.
      set beresp.uncacheable = true;
      set beresp.ttl = 0s;
      set beresp.grace = 0s;
      return (deliver);
    }
    unset beresp.http.X-Names;
  }
}

// The names of all headers that the origin got, once for each line.
sub collect_names {
  unset beresp.http.X-Names;
  header.regsub(bereq, "^(.*)$", "X-Line: \1");
  header.copy(bereq.http.X-Line, beresp.http.X-Names);
  header.regsub(bereq, "^X-Line: (.*)$", "\1");
  header.regsub(beresp, "^X-Names: ([^:]*):.*$", "X-Names: \1");
  std.collect(beresp.http.X-Names, ",");
}
