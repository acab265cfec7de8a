// Origins are asked. What rules set under a name that is removed before, or that Varnish reads itself, comes as
// x-cdn-set-NAME. The tab behind the colon, which only these lines have, tells which they were.

sub ask {
  if (bereq.http.x-cdn-set-accept-encoding) {
    unset bereq.http.Accept-Encoding;
  }
  header.regsub(bereq, "(?i)^x-cdn-set-([^:]+):[ \t]*(.*)$", "\1:	\2");
}
