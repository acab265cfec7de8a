// The cache's key is made of the host and the target. A response that depended on anything else that one visitor said
// would be stored for all of them: what origins are known to listen to is set by the edge, or removed.

sub set_forwarded_headers {
  // Neither the port nor the root's dot tells tenants apart.
  set req.http.X-Forwarded-Host = regsub(std.tolower(req.http.host), "\.?(?::[0-9]*)?$", "");
  set req.http.X-Forwarded-Proto = "http";
  call tier_forwarded_for;
}

// In a name here a dot stands for the hyphen, and for the underscore and others that an origin may read as one.
sub drop_unkeyed_headers {
  // What only a proxy in front of the origin can know.
  header.regsub(bereq, "(?i)^(?!x-forwarded-(?:for|host|proto):)(?:[^:]*.)?forwarded(?:.[^:]*)?:", "X-Removed:");
  header.regsub(bereq, "(?i)^(?:[^:]*.)?(?:client|real|remote|connecting|originating).(?:ip|addr):", "X-Removed:");
  header.regsub(bereq, "(?i)^(?:x.(?:url.)?scheme|front.end.https|proxy|surrogate.capability):", "X-Removed:");
  // Another host or URL than the one that is asked for.
  header.regsub(bereq, "(?i)^x.(?:(?:http.)?host(?:.override)?|(?:original|rewrite|override)(?:.[^:]*)?):", "X-Removed:");
  if (bereq.method ~ "^(?:GET|HEAD)$") {
    // Another method. A POST may name one, for clients that can send no other.
    header.regsub(bereq, "(?i)^x.(?:http.)?method(?:.override)?:", "X-Removed:");
  }
  // The edge's own.
  header.regsub(bereq, "(?i)^x(?:key|.(?:hashtwo|guard|cache|purge.[^:]*)):", "X-Removed:");
  unset bereq.http.X-Removed;
}

sub drop_body {
  unset bereq.body;
  unset bereq.http.Content-Length;
  header.regsub(bereq, "(?i)^(?:content.[^:]*|transfer.encoding):", "X-Removed:");
  unset bereq.http.X-Removed;
}

// Varnish fails a passed request whose range it cannot read, several ranges among them, and one of another method than
// GET, which has none; without it the whole content is as right a response.
sub drop_odd_range {
  std.collect(req.http.Range);
  if (req.method != "GET" || req.http.Range !~ "(?i)^bytes=(?:[0-9]{1,15}-(?:[0-9]{1,15})?|-[0-9]{1,15})$"
      || (req.http.Range ~ "[0-9]-[0-9]"
        && std.integer(regsub(req.http.Range, "^.*=([0-9]+)-.*$", "\1"), 0)
          > std.integer(regsub(req.http.Range, "^.*-", ""), 0))) {
    unset req.http.Range;
  }
}
