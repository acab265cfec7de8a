// For how long a response is stored, as infra/edge/embedded/cacheability.ts has it.

sub set_lifetime {
  if ((beresp.status != 200 && beresp.status != 203 && beresp.status != 300 && beresp.status != 301
        && beresp.status != 404 && beresp.status != 410)
      || beresp.http.Set-Cookie || beresp.http.Vary ~ "\*"
      || beresp.http.Cache-Control ~ "(?i)private|no-store") {
    call remember_uncacheable;
  }
  if (beresp.http.x-cdn-lifetime) {
    // A shield's word, which no origin can send.
    set beresp.ttl = std.duration(beresp.http.x-cdn-lifetime + "s", 0s) - beresp.age;
  } elseif (bereq.http.x-cdn-ttl-overrides) {
    set beresp.ttl = std.duration(bereq.http.x-cdn-ttl + "s", 0s);
  } elseif (beresp.http.Cache-Control ~ "(?i)no-cache") {
    set beresp.ttl = 0s;
  } else {
    call set_said_lifetime;
  }
  if (beresp.ttl <= 0s) {
    call remember_uncacheable;
  }
  // A soft purge shortens the time of the object, and not this one.
  set beresp.http.x-cdn-lifetime = beresp.ttl + beresp.age;
}

// The time that the response spent in a cache before this one counts.
sub set_said_lifetime {
  if (beresp.http.Cache-Control ~ "(?i)(?:^|[,\s])s-maxage=[0-9]") {
    var.set("seconds", regsub(beresp.http.Cache-Control, "(?i)^(?:.*?[,\s])??s-maxage=0*([0-9]+).*$", "\1"));
    call set_seconds;
  } elseif (beresp.http.Cache-Control ~ "(?i)(?:^|[,\s])max-age=[0-9]") {
    var.set("seconds", regsub(beresp.http.Cache-Control, "(?i)^(?:.*?[,\s])??max-age=0*([0-9]+).*$", "\1"));
    call set_seconds;
  } elseif (beresp.http.Expires) {
    // What is no date, as the usual 0, has expired.
    set beresp.ttl = std.time(regsub(beresp.http.Expires, "^[^A-Za-z].*$", "0"), std.real2time(0.0, now))
      - std.time(beresp.http.Date, now) - beresp.age;
  } else {
    set beresp.ttl = std.duration(bereq.http.x-cdn-ttl + "s", 0s);
  }
}

sub set_seconds {
  // More digits than a duration may have.
  if (var.get("seconds") ~ "^.{10}") {
    var.set("seconds", "999999999");
  }
  set beresp.ttl = std.duration(var.get("seconds") + "s", 0s) - beresp.age;
}
