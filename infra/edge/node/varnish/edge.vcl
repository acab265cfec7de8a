vcl 4.1;

// What the edge does with a request and with a response, generic for all properties: what is particular to one is in the
// headers x-cdn-*, which no visitor can set. `run` puts the files of this folder together behind this one, with one tier's.

import digest;
import header;
import std;
import str;
import var;
import vsthrottle;
import vtc;
import xkey;

backend origin {
  .path = "@DIR@/haproxy.sock";
  .connect_timeout = 1s;
  .first_byte_timeout = 70s;
  .between_bytes_timeout = 70s;
  // Each holds two of the 10,000 threads, without which no hit is served either.
  .max_connections = 3000;
}

sub node_secret { var.set("secret", std.fileread("@DIR@/secret")); }
sub node_guard_key { var.set("guard key", std.fileread("@DIR@/guard-key")); }
sub node_tags { std.collect(beresp.http.@TAG_HEADER@, " "); var.set("tags", beresp.http.@TAG_HEADER@); }

sub vcl_recv {
  if (req.method == "PURGE") {
    call respond_to_purge;
  }
  // Varnish adds whom it sees, and on a socket of the file system it sees nobody.
  set req.http.X-Forwarded-For = regsub(req.http.X-Forwarded-For, ",? ?0\.0\.0\.0$", "");
  if (req.http.X-Forwarded-For == "") {
    unset req.http.X-Forwarded-For;
  }
  if (req.http.Range) {
    call drop_odd_range;
  }
  if (req.http.x-cdn-pass) {
    return (pass);
  }
  return (hash);
}

sub vcl_hash {
  // The site, because a host name that changes hands must not show the old property's content. Whether the target is
  // reduced, because what was stored under the whole one would be served, and no purge would find it.
  hash_data(req.http.x-cdn-key);
  return (lookup);
}

sub vcl_hit {
  set req.http.x-cdn-handling = "hit";
  if (obj.ttl <= 0s) {
    set req.http.x-cdn-is-stale = "1";
    call judge_stale;
  }
  return (deliver);
}

sub vcl_miss {
  set req.http.x-cdn-handling = "miss";
  if (req.is_hitmiss) {
    set req.http.x-cdn-handling = "hitmiss";
  }
  call look_for_failure;
  return (fetch);
}

sub vcl_pass {
  set req.http.x-cdn-handling = "pass";
  return (fetch);
}

sub vcl_backend_fetch {
  if (bereq.is_bgfetch && bereq.http.x-cdn-asks-nobody) {
    return (abandon);
  }
  call take_apart;
  call drop_unkeyed_headers;
  if (!bereq.uncacheable) {
    call drop_body;
  }
  call name_site;
  call note_guard;
  call ask;
  return (fetch);
}

sub vcl_backend_response {
  // The vmod reads both names, so an origin must be able to send neither.
  unset beresp.http.xkey;
  unset beresp.http.X-HashTwo;
  // Nor may a condition that a rule sets renew a stale object.
  if (beresp.http.x-origin-away || beresp.was_304) {
    return (error(502));
  }
  if (bereq.uncacheable) {
    return (deliver);
  }
  if (beresp.status >= 500) {
    call keep_stale;
    call store_nothing;
  }
  call unset_ruled_headers;
  call set_lifetime;
  call refuse_repeated;
  set beresp.keep = 0s;
  call tier_grace;
  call set_keys;
  call check_guard;
  return (deliver);
}

// Without this, requests for a response that cannot be shared would wait for each other. It holds no content.
sub remember_uncacheable {
  set beresp.ttl = 120s;
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  set beresp.uncacheable = true;
  return (deliver);
}

// Not remembered: the next visitor's may be stored.
sub store_nothing {
  set beresp.ttl = 0s;
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  set beresp.uncacheable = true;
  return (deliver);
}

sub vcl_backend_error {
  call keep_stale;
  set beresp.status = 502;
  set beresp.http.Content-Type = "text/plain";
  set beresp.http.x-cdn-handling = "synth";
  set beresp.body = {"The origin is away.
"};
  call store_nothing;
}

sub vcl_deliver {
  call recheck_guard;
  unset resp.http.xkey;
  unset resp.http.x-cdn-guard;
  unset resp.http.x-cdn-guard-fetch;
  unset resp.http.x-cdn-guard-time;
  unset resp.http.X-Varnish;
  call tier_deliver;
  if (!resp.http.x-cdn-handling) {
    set resp.http.x-cdn-handling = req.http.x-cdn-handling;
  }
  if (resp.http.x-cdn-handling == "hit") {
    set resp.http.X-Cache = "HIT";
  } else {
    set resp.http.X-Cache = "MISS";
  }
  return (deliver);
}

sub vcl_synth {
  call serve_stale;
  unset resp.http.X-Varnish;
  set resp.http.x-cdn-handling = "synth";
  set resp.http.X-Cache = "MISS";
  if (req.method == "PURGE") {
    call synthesise_purge;
  } else {
    set resp.http.Content-Type = "text/plain";
    set resp.body = resp.reason;
  }
  return (deliver);
}
