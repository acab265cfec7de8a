// What is served after its time. `obj.ttl` counts on below zero from the end of it, or from a soft purge.

sub judge_stale {
  call take_stale_times_apart;
  if (obj.ttl + std.duration(req.http.x-cdn-swr + "s", 0s) > 0s) {
    return (deliver);
  }
  // A soft purge has shortened its time.
  if (obj.ttl + 10s > 0s && obj.ttl + obj.age + 10ms < std.duration(obj.http.x-cdn-lifetime + "s", 0s)) {
    return (deliver);
  }
  unset req.http.x-cdn-stale;
  if (obj.ttl + std.duration(req.http.x-cdn-sie + "s", 0s) > 0s) {
    if (vsthrottle.remaining("failed " + obj.http.x-cdn-guard-fetch, 1, 5s) == 0) {
      // Varnish begins a fetch all the same.
      set req.http.x-cdn-asks-nobody = "1";
      return (deliver);
    }
    set req.http.x-cdn-stale = obj.http.x-cdn-guard-fetch;
  }
  set req.grace = 0s;
  unset req.http.x-cdn-is-stale;
  return (restart);
}

// Who waited for a fetch that failed is not to wait for the next one.
sub look_for_failure {
  if (req.http.x-cdn-stale && vsthrottle.remaining("failed " + req.http.x-cdn-stale, 1, 5s) == 0) {
    call look_again;
  }
}

// A response that is delivered takes the stale object away, an error too; an abandoned fetch leaves it there.
sub keep_stale {
  if (bereq.http.x-cdn-stale && vsthrottle.is_denied("failed " + bereq.http.x-cdn-stale, 1, 5s)) {
    std.log("failed before");
  }
  if (bereq.is_bgfetch || bereq.http.x-cdn-stale) {
    return (abandon);
  }
}

sub serve_stale {
  if (req.http.x-cdn-stale) {
    call look_again;
  }
}

// What was purged meanwhile is gone, and the origin is asked once more.
sub look_again {
  unset req.http.x-cdn-stale;
  set req.grace = 52w;
  return (restart);
}
