// The tier that clients ask. Objects are kept as long as anything lets them be served stale, and at least for the time
// that a soft purge gives them, so that nobody waits for their refresh.

sub tier_grace {
  set beresp.grace = 10s;
  if (std.duration(bereq.http.x-cdn-swr + "s", 0s) > beresp.grace) {
    set beresp.grace = std.duration(bereq.http.x-cdn-swr + "s", 0s);
  }
  if (std.duration(bereq.http.x-cdn-sie + "s", 0s) > beresp.grace) {
    set beresp.grace = std.duration(bereq.http.x-cdn-sie + "s", 0s);
  }
}

sub tier_remove {
  if (req.http.x-purge-mode == "soft") {
    var.set_int("named", xkey.softpurge(req.http.x-purge-keys));
  } else {
    var.set_int("named", xkey.purge(req.http.x-purge-keys));
  }
}

sub tier_deliver {
  unset resp.http.@TAG_HEADER@;
  unset resp.http.x-cdn-lifetime;
}
