vcl 4.1;

// What the edge does with a request and with a response. `run` puts the kit's files together behind this one and
// adds what differs between edges: the backend, who may purge, the secret and the name of the tag header.

import digest;
import header;
import std;
import str;
import var;
import vsthrottle;
import vtc;
import xkey;

sub vcl_recv {
  if (req.method == "PURGE") {
    call respond_to_purge;
  }
  call set_forwarded_headers;
  call drop_odd_range;
  if (req.method !~ "^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$") {
    // Never Varnish's pipe: it would join a client to the backend, behind the backend's access list.
    return (synth(405));
  }
  if (req.method !~ "^(?:GET|HEAD)$" || req.http.Authorization || req.http.Cookie) {
    return (pass);
  }
  call canonicalise;
  return (hash);
}

sub vcl_hash {
  hash_data(req.http.host);
  hash_data(req.url);
  return (lookup);
}

sub vcl_backend_fetch {
  call drop_unkeyed_headers;
  if (!bereq.uncacheable) {
    // A 304 would give a stale object a new life, even where a purge takes it away at the same moment.
    unset bereq.http.If-None-Match;
    unset bereq.http.If-Modified-Since;
    unset bereq.http.Pragma;
    call drop_body;
  }
  call note_guard;
  return (fetch);
}

sub vcl_backend_response {
  // The vmod reads both names, so an origin must be able to send neither.
  unset beresp.http.xkey;
  unset beresp.http.X-HashTwo;
  unset beresp.http.x-guard;
  unset beresp.http.x-guard-fetch;
  unset beresp.http.x-guard-time;
  if (bereq.uncacheable) {
    return (deliver);
  }
  if (bereq.is_bgfetch && beresp.status >= 500) {
    // The stale object is better than the fault.
    return (abandon);
  }
  if (beresp.ttl <= 0s || beresp.http.Set-Cookie || beresp.http.Vary ~ "\*"
      || beresp.http.Cache-Control ~ "(?i)private|no-store|no-cache") {
    call remember_uncacheable;
  }
  call refuse_repeated;
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  call tier_grace;
  call set_keys;
  call check_guard;
  return (deliver);
}

// Without this, requests for a response that cannot be shared would wait for each other. It holds no content.
sub remember_uncacheable {
  set beresp.ttl = 120s;
  set beresp.uncacheable = true;
  return (deliver);
}

sub vcl_backend_error {
  if (bereq.is_bgfetch) {
    return (abandon);
  }
  set beresp.ttl = 0s;
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  set beresp.uncacheable = true;
  set beresp.http.Content-Type = "text/plain";
  set beresp.body = "The origin is away.";
  return (deliver);
}

sub vcl_deliver {
  call recheck_guard;
  unset resp.http.xkey;
  unset resp.http.x-guard;
  unset resp.http.x-guard-fetch;
  unset resp.http.x-guard-time;
  unset resp.http.X-Varnish;
  call site_deliver;
  if (obj.hits > 0) {
    set resp.http.X-Cache = "HIT";
  } else {
    set resp.http.X-Cache = "MISS";
  }
  return (deliver);
}

sub vcl_synth {
  unset resp.http.X-Varnish;
  set resp.http.X-Cache = "MISS";
  if (req.method == "PURGE") {
    call synthesise_purge;
  } else {
    set resp.http.Content-Type = "text/plain";
    set resp.body = resp.reason;
    if (resp.status == 405) {
      set resp.http.Allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
    }
  }
  return (deliver);
}
