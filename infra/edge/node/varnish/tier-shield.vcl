// The tier that other edges ask: an edge would keep a stale object as a fresh one for the rest of its time to
// live, so a shield never serves one, and a soft purge removes. It hands the tags on to the edges.

sub tier_grace {
  set beresp.grace = 0s;
}

sub tier_remove {
  var.set_int("named", xkey.purge(req.http.x-purge-keys));
}

sub tier_deliver {
}

// The edge has said it.
sub tier_loop {
}
