// What nginx says of a request comes in few headers, because a hit needs little of it: x-cdn-pass says by its presence that
// the cache is passed by; x-cdn-key, all of which is hashed, is
// `SITE HOST REDUCED TARGET` and the variant behind it where there is one; x-cdn-fetch is
// `TTL OVERRIDES SWR SIE SCHEME PORT ACCOUNT ORIGIN PATH HOST-HEADER`. A hyphen is what there is not. x-cdn-edge says by its
// presence that an edge asks a shield.

sub take_apart {
  set bereq.http.x-cdn-host = regsub(bereq.http.x-cdn-key, "^\S+ (\S+) .*$", "\1");
  set bereq.http.x-cdn-target = regsub(bereq.http.x-cdn-key, "^\S+ \S+ \S+ (\S+).*$", "\1");
  if (bereq.http.x-cdn-key ~ "^\S+ \S+ 1 ") {
    set bereq.http.x-cdn-reduced = "1";
  }
  set bereq.http.x-cdn-ttl = regsub(bereq.http.x-cdn-fetch, " .*$", "");
  if (bereq.http.x-cdn-fetch ~ "^\S+ 1 ") {
    set bereq.http.x-cdn-ttl-overrides = "1";
  }
  set bereq.http.x-cdn-swr = regsub(bereq.http.x-cdn-fetch, "^(?:\S+ ){2}(\S+) .*$", "\1");
  set bereq.http.x-cdn-sie = regsub(bereq.http.x-cdn-fetch, "^(?:\S+ ){3}(\S+) .*$", "\1");
  set bereq.http.x-origin-scheme = regsub(bereq.http.x-cdn-fetch, "^(?:\S+ ){4}(\S+) .*$", "\1");
  set bereq.http.x-origin-port = regsub(bereq.http.x-cdn-fetch, "^(?:\S+ ){5}(\S+) .*$", "\1");
  set bereq.http.x-origin-account = regsub(bereq.http.x-cdn-fetch, "^(?:\S+ ){6}(\S+) .*$", "\1");
  set bereq.http.x-origin-host = regsub(bereq.http.x-cdn-fetch, "^(?:\S+ ){7}(\S+) .*$", "\1");
  set bereq.http.x-origin-host-header = regsub(bereq.http.x-cdn-fetch, "^(?:\S+ ){9}(.*)$", "\1");
}

sub take_stale_times_apart {
  set req.http.x-cdn-swr = regsub(req.http.x-cdn-fetch, "^(?:\S+ ){2}(\S+) .*$", "\1");
  set req.http.x-cdn-sie = regsub(req.http.x-cdn-fetch, "^(?:\S+ ){3}(\S+) .*$", "\1");
}

sub take_key_apart {
  set req.http.x-cdn-host = regsub(req.http.x-cdn-key, "^\S+ (\S+) .*$", "\1");
  set req.http.x-cdn-target = regsub(req.http.x-cdn-key, "^\S+ \S+ \S+ (\S+).*$", "\1");
}
