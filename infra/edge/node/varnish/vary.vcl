// Where a header that Vary names comes in several lines, the origin has read all of them, and Varnish tells objects
// apart by the first one alone: the others would be one visitor's word in a response for all.
sub refuse_repeated {
  if (beresp.http.Vary) {
    call collect_names;
    if (beresp.http.Vary + ":" + beresp.http.x-cdn-names
        ~ "(?i)^(?:[^:]*[\s,])?([^\s,:]+)[\s,]*(?:,[^:]*)?:(?:[^,]++,)*?\1,(?:[^,]++,)*?\1(?:,|$)") {
      unset beresp.http.x-cdn-names;
      call store_nothing;
    }
    unset beresp.http.x-cdn-names;
  }
}

// The names of all headers that the origin got, once for each line.
sub collect_names {
  unset beresp.http.x-cdn-names;
  header.regsub(bereq, "^(.*)$", "x-cdn-line: \1");
  header.copy(bereq.http.x-cdn-line, beresp.http.x-cdn-names);
  header.regsub(bereq, "^x-cdn-line: (.*)$", "\1");
  header.regsub(beresp, "^x-cdn-names: ([^:]*):.*$", "x-cdn-names: \1");
  std.collect(beresp.http.x-cdn-names, ",");
}
