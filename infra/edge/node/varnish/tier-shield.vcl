// The tier that other edges ask: an edge would keep a stale object as a fresh one for the rest of its time to
// live, so a shield never serves one, and a soft purge removes. Edges get the tags, and those that the API configures are
// told for how long an object may live in all; by x-cdn-shield they see that a shield knows them.

sub tier_grace {
  set beresp.grace = 0s;
}

sub tier_remove {
  var.set_int("named", xkey.purge(req.http.x-purge-keys));
}

sub tier_deliver {
  if (req.http.x-cdn-edge) {
    set resp.http.x-cdn-shield = "1";
  } else {
    unset resp.http.x-cdn-lifetime;
    // Only edges ask a shield with a fixed origin.
    if (req.http.x-cdn-key !~ "^fixed ") {
      unset resp.http.@TAG_HEADER@;
    }
  }
}
