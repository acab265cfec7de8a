// The tenant and the target in the one form that the cache's key and a purge share. A request that cannot be
// brought into that form by the few steps here is passed: what no purge can name must not be stored.

sub canonicalise {
  set req.http.host = req.http.X-Forwarded-Host;
  if (req.http.host !~ "^(?=.{1,253}$)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!-)(?![0-9]+$)[a-z0-9-]{1,63}(?<!-)$") {
    return (pass);
  }
  // Any character that a browser would write differently, in the path or in the query.
  if (req.url !~ "^/(?:[A-Za-z0-9._~!$&'()*+,;=:@/|\[\]-]++|%[0-9A-Fa-f]{2})*+(?:\?(?:[A-Za-z0-9._~!$&()*+,;=:@/|\[\]{}^`\\?-]++|%[0-9A-Fa-f]{2})*+)?$") {
    return (pass);
  }
  // Dot segments, which a browser resolves.
  if (req.url ~ "(?i)^[^?]*/(?:\.|%2e){1,2}(?:[/?]|$)") {
    return (pass);
  }
  // An object carries a key for each of its directories; keys.vcl makes as many as this lets through.
  if (req.url ~ "^(?:/[^/?]*+){25}") {
    return (pass);
  }
  set req.url = regsub(req.url, "^([^?]*)\?$", "\1");
  if (req.url ~ "%(?:[a-f]|.[a-f])") {
    call upper_case_escapes;
  }
  if (req.url ~ "\?.*&") {
    call sort_query;
  }
}

sub upper_case_escapes {
  set req.url = regsuball(req.url, "%a", "%A");
  set req.url = regsuball(req.url, "%b", "%B");
  set req.url = regsuball(req.url, "%c", "%C");
  set req.url = regsuball(req.url, "%d", "%D");
  set req.url = regsuball(req.url, "%e", "%E");
  set req.url = regsuball(req.url, "%f", "%F");
  set req.url = regsuball(req.url, "(%.)a", "\1A");
  set req.url = regsuball(req.url, "(%.)b", "\1B");
  set req.url = regsuball(req.url, "(%.)c", "\1C");
  set req.url = regsuball(req.url, "(%.)d", "\1D");
  set req.url = regsuball(req.url, "(%.)e", "\1E");
  set req.url = regsuball(req.url, "(%.)f", "\1F");
}

// std.querysort takes a parameter that begins another one for equal to it and drops empty ones. A space behind
// each, which sorts before all that a target may hold, makes the order total and no parameter empty.
sub sort_query {
  set req.url = regsuball(std.querysort(regsuball(req.url, "&", " &") + " "), " ", "");
}
