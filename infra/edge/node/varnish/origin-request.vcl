// The cache's key is made of the host, the target and what rules set. A response that depended on anything else that one
// visitor said would be stored for all of them: what origins are known to listen to is set by the edge, or removed.

// In a name here a dot stands for the hyphen, and for the underscore and others that an origin may read as one.
sub drop_unkeyed_headers {
  // What only a proxy in front of the origin can know.
  header.regsub(bereq, "(?i)^(?!x-forwarded-(?:for|host|proto):|x-cdn-)(?:[^:]*.)?forwarded(?:.[^:]*)?:", "x-cdn-removed:");
  header.regsub(bereq, "(?i)^(?!x-cdn-)(?:[^:]*.)?(?:client|real|remote|connecting|originating).(?:ip|addr):", "x-cdn-removed:");
  header.regsub(bereq, "(?i)^(?:x.(?:url.)?scheme|front.end.https|proxy|surrogate.capability):", "x-cdn-removed:");
  // Another host or URL than the one that is asked for.
  header.regsub(bereq, "(?i)^x.(?:(?:http.)?host(?:.override)?|(?:original|rewrite|override)(?:.[^:]*)?):", "x-cdn-removed:");
  if (bereq.method ~ "^(?:GET|HEAD)$") {
    // Another method. A POST may name one, for clients that can send no other.
    header.regsub(bereq, "(?i)^x.(?:http.)?method(?:.override)?:", "x-cdn-removed:");
  }
  // The edge's own.
  header.regsub(bereq, "(?i)^x(?:key|.(?:hashtwo|guard|cache|purge.[^:]*)):", "x-cdn-removed:");
  unset bereq.http.x-cdn-removed;
}

// By which nginx knows a request that an origin has led back: the tier that visitors ask says it. A fixed origin's is
// nobody's: edges and shields have the same.
sub name_site {
  if (bereq.http.x-cdn-key !~ "^fixed " && !bereq.http.x-cdn-edge) {
    std.collect(bereq.http.CDN-Loop);
    header.append(bereq.http.CDN-Loop, regsub(bereq.http.x-cdn-key, " .*$", ""));
    std.collect(bereq.http.CDN-Loop);
  }
}

// What belongs to one visitor's request alone. A 304 would give a stale object a new life, even where a purge takes it
// away at the same moment. `Accept-Encoding` is what Varnish makes of it.
sub drop_body {
  unset bereq.body;
  unset bereq.http.Content-Length;
  header.regsub(bereq, "(?i)^(?:content.[^:]*|if.[^:]*|pragma|cache.control|accept[^-]encoding|proxy.authorization|range|transfer.encoding):", "x-cdn-removed:");
  unset bereq.http.x-cdn-removed;
}

// Varnish compares what `Vary` names with the headers of the next visitor's request, which has them under the other name.
sub unset_ruled_headers {
  if (beresp.http.Vary) {
    header.regsub(bereq, "^([^:]+):\t", "x-cdn-set-\1: ");
  }
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
