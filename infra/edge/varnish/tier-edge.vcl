// The tier that clients ask: a stale object is served for a while, so that nobody waits for its refresh.

sub tier_grace {
  set beresp.grace = 10s;
}

sub tier_remove {
  if (req.http.x-purge-mode == "soft") {
    var.set_int("named", xkey.softpurge(req.http.x-purge-keys));
  } else {
    var.set_int("named", xkey.purge(req.http.x-purge-keys));
  }
}

sub tier_forwarded_for {
  set req.http.X-Forwarded-For = client.ip;
}
