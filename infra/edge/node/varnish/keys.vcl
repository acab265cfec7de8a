// The keys of an object, as shared/edge/cache-keys.ts makes them: of the host, the URL, each directory of the
// path and each tag. They name the tenant as the edge knows it, never as anybody's header says it.

sub set_keys {
  call node_tags;
  // More would not fit into the memory of a fetch, and an object without all its keys must not be stored.
  if (str.count(var.get("tags")) > 16384
      || str.count(regsuball(var.get("tags"), "[\s,]*[^\s,]+[\s,]*", ".")) > 1000) {
    call remember_uncacheable;
  }
  var.set("keys", "h/" + bereq.http.x-cdn-host
    + " u/" + bereq.http.x-cdn-host + "/" + str.take(digest.hash_sha256(bereq.http.x-cdn-target), 32));
  if (bereq.http.x-cdn-reduced) {
    var.set("keys", var.get("keys") + " r/" + bereq.http.x-cdn-host + "/"
      + str.take(digest.hash_sha256(regsub(bereq.http.x-cdn-target, "\?.*$", "")), 32));
  }
  call add_path_keys;
  set beresp.http.xkey = var.get("keys")
    + regsuball(var.get("tags"), "[\s,]*([^\s,]+)[\s,]*", " t/" + bereq.http.x-cdn-host + "/\1");
}

// VCL has no loops; 25 calls are 24 directories and the path itself.
sub add_path_keys {
  var.set("path", regsub(bereq.http.x-cdn-target, "\?.*$", ""));
  call add_path_key; call add_path_key; call add_path_key; call add_path_key; call add_path_key;
  call add_path_key; call add_path_key; call add_path_key; call add_path_key; call add_path_key;
  call add_path_key; call add_path_key; call add_path_key; call add_path_key; call add_path_key;
  call add_path_key; call add_path_key; call add_path_key; call add_path_key; call add_path_key;
  call add_path_key; call add_path_key; call add_path_key; call add_path_key; call add_path_key;
}

sub add_path_key {
  if (var.get("path") != "") {
    var.set("keys", var.get("keys")
      + " p/" + bereq.http.x-cdn-host + "/" + str.take(digest.hash_sha256(var.get("path")), 32));
    var.set("path", regsub(var.get("path"), "[^/]+$|[^/]*/$", ""));
  }
}
