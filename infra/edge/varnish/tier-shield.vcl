// The tier that other edges ask: an edge would keep a stale object as a fresh one for the rest of its time to
// live, so a shield never serves one, and a soft purge removes.

sub tier_grace {
  set beresp.grace = 0s;
}

sub tier_remove {
  var.set_int("named", xkey.purge(req.http.x-purge-keys));
}

// An edge says who asked it, and Varnish has added the edge's own address.
sub tier_forwarded_for {
  if (req.http.X-Forwarded-For !~ "^[0-9A-Fa-f.:]+(?:, ?[0-9A-Fa-f.:]+)*$") {
    set req.http.X-Forwarded-For = client.ip;
  }
}
