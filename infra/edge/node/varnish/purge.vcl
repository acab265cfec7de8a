// The edge's side of the purge protocol, which shared/edge/purge-protocol.ts describes; nginx has judged
// from where it comes.

sub respond_to_purge {
  call check_form;
  call check_signature;
  var.set_int("removed", 0);
  if (req.http.x-purge-mode != "check") {
    call remove;
  }
  return (synth(200));
}

sub check_form {
  // A header that comes twice is joined by a comma, which none of the forms allows.
  std.collect(req.http.x-purge-time);
  std.collect(req.http.x-purge-mode);
  std.collect(req.http.x-purge-keys);
  std.collect(req.http.x-purge-signature);
  if (req.url != "/" || req.http.x-purge-time !~ "^[0-9]{1,11}$"
      || req.http.x-purge-mode !~ "^(?:hard|soft|check)$"
      || req.http.x-purge-keys !~ "^(?:[huptr]/[!-+\--~]++(?: (?=.)|$))*+$") {
    return (synth(400));
  }
  if (req.http.x-purge-mode != "check" && req.http.x-purge-keys == "") {
    return (synth(400));
  }
}

sub check_signature {
  if (now - std.time(req.http.x-purge-time, now - 1h) > 60s
      || std.time(req.http.x-purge-time, now - 1h) - now > 60s) {
    return (synth(401));
  }
  call node_secret;
  // Both sides are hashed once more, so that how long the comparison takes tells nothing of the right signature.
  if (digest.hmac_sha256(var.get("secret"), digest.hmac_sha256(var.get("secret"),
        req.http.x-purge-time + " " + req.http.x-purge-mode + " " + req.http.x-purge-keys))
      != digest.hmac_sha256(var.get("secret"), "0x" + req.http.x-purge-signature)) {
    return (synth(401));
  }
}

// An object that several of the keys name may be counted for each of them.
sub remove {
  call raise_guard;
  call tier_remove;
  var.set_int("removed", var.get_int("named"));
  // A fetch that passed the guard just before may not have entered its object into the keys' index yet.
  vtc.sleep(5ms);
  call tier_remove;
}

sub synthesise_purge {
  set resp.http.Content-Type = "application/json";
  if (resp.status == 200) {
    set resp.body = """{"removed":""" + var.get_int("removed") + "}";
  } elseif (resp.status == 401) {
    set resp.body = """{"message":"the signature is not right, or not of the last 60 seconds"}""";
  } else {
    set resp.body = """{"message":"not a purge of this protocol"}""";
  }
}
