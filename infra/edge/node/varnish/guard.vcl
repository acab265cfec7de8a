// A fetch that began before a purge may bring the old content after it. Each purge therefore leaves its number
// behind; a fetch notes the number before it asks the origin, and stores nothing when it finds another one.

// In 256 groups of tenants, because vmod var walks through a list. Which share one is the node's own secret, so that nobody's
// purges can keep another's pages from being stored. A purge whose keys do not all name one tenant holds for every tenant.
sub raise_guard {
  if (req.http.x-purge-keys ~ "^[huptr]/([^/ ]++)(?:/[^ ]*+)?(?: [huptr]/\1(?:/[^ ]*+)?(?![^ ]))*+$") {
    var.set("tenant", regsub(req.http.x-purge-keys, "^./([^/ ]+).*$", "\1"));
    call find_group;
    var.global_set("purged " + var.get("group"), req.xid);
  } else {
    var.global_set("purged", req.xid);
  }
}

sub read_guard {
  var.set("guard", var.global_get("purged") + "/" + var.global_get("purged " + var.get("group")));
}

// The digest begins with 0x.
sub find_group {
  call node_guard_key;
  var.set("group", str.take(digest.hmac_sha256(var.get("guard key"), var.get("tenant")), 4));
}

sub note_guard {
  var.set("tenant", bereq.http.x-cdn-host);
  call find_group;
  call read_guard;
  var.set("guard at start", var.get("guard"));
}

// Comes last before the object is stored, because a purge between the two finds no object to remove.
sub check_guard {
  call read_guard;
  if (var.get("guard") != var.get("guard at start")) {
    call store_nothing;
  }
  set beresp.http.x-cdn-guard = var.get("guard");
  set beresp.http.x-cdn-guard-fetch = bereq.xid;
  set beresp.http.x-cdn-guard-time = now;
}

// Where the fetch was held up between the check and the end of storing, the purge missed the object. Who asks for the
// object finds that out: the request that fetched it, those that waited for it (for both, time has passed since they
// came in), and until one of them has found it in order, everybody else. Its time does not tell whether it was fresh when it was
// found: another of them may have purged it meanwhile.
sub recheck_guard {
  if (resp.http.x-cdn-guard && !req.http.x-cdn-is-stale && (now > req.time || now - std.time(resp.http.x-cdn-guard-time, now) < 10s
      && vsthrottle.remaining("rechecked " + resp.http.x-cdn-guard-fetch, 1, 20s) > 0)) {
    call take_key_apart;
    var.set("tenant", req.http.x-cdn-host);
    call find_group;
    call read_guard;
    if (var.get("guard") != resp.http.x-cdn-guard) {
      std.log("held up: " + xkey.purge("u/" + req.http.x-cdn-host + "/" + str.take(digest.hash_sha256(req.http.x-cdn-target), 32)));
      if (obj.hits > 0 && req.restarts < 3) {
        // It may not be in the keys' index yet, where the purge would have found it.
        set req.hash_always_miss = true;
        return (restart);
      }
    } elseif (vsthrottle.is_denied("rechecked " + resp.http.x-cdn-guard-fetch, 1, 20s)) {
      std.log("rechecked before");
    }
  }
}
