// A fetch that began before a purge may bring the old content after it. Each purge therefore leaves its number
// behind; a fetch notes the number before it asks the origin, and stores nothing when it finds another one.

// In 256 groups of tenants, because vmod var walks through a list. A purge whose keys do not all name one
// tenant in the clear holds for every tenant.
sub raise_guard {
  if (req.http.x-purge-keys ~ "^[hupt]/([^/ ]++)(?:/[^ ]*+)?(?: [hupt]/\1(?:/[^ ]*+)?(?![^ ]))*+$") {
    var.set("tenant", regsub(req.http.x-purge-keys, "^./([^/ ]+).*$", "\1"));
    var.global_set("purged " + str.take(digest.hash_sha256(var.get("tenant")), 2), req.xid);
  } else {
    var.global_set("purged", req.xid);
  }
}

sub read_guard {
  var.set("guard", var.global_get("purged") + "/"
    + var.global_get("purged " + str.take(digest.hash_sha256(var.get("tenant")), 2)));
}

sub note_guard {
  var.set("tenant", bereq.http.host);
  call read_guard;
  var.set("guard at start", var.get("guard"));
}

// Comes last before the object is stored, because a purge between the two finds no object to remove.
sub check_guard {
  call read_guard;
  if (var.get("guard") != var.get("guard at start")) {
    // Uncacheable, so that requests that wait for this fetch do not take its response either.
    set beresp.uncacheable = true;
    set beresp.ttl = 0s;
    set beresp.grace = 0s;
  } else {
    set beresp.http.x-guard = var.get("guard");
    set beresp.http.x-guard-fetch = bereq.xid;
    set beresp.http.x-guard-time = now;
  }
}

// Where the fetch was held up between the check and the end of storing, the purge missed the object. Who asks for the
// object finds that out: the request that fetched it, those that waited for it (for both, time has passed since they
// came in), and until one of them has found it in order, everybody else.
sub recheck_guard {
  if (resp.http.x-guard && obj.ttl > 0s && (now > req.time || now - std.time(resp.http.x-guard-time, now) < 10s
      && vsthrottle.remaining("rechecked " + resp.http.x-guard-fetch, 1, 20s) > 0)) {
    var.set("tenant", req.http.host);
    call read_guard;
    if (var.get("guard") != resp.http.x-guard) {
      std.log("held up: " + xkey.purge("u/" + req.http.host + "/" + str.take(digest.hash_sha256(req.url), 32)));
      if (obj.hits > 0 && req.restarts == 0) {
        return (restart);
      }
    } elseif (vsthrottle.is_denied("rechecked " + resp.http.x-guard-fetch, 1, 20s)) {
      std.log("rechecked before");
    }
  }
}
