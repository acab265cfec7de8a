// A shield is asked, which sets what rules set, and asks the origin for the URL.

sub ask {
  set bereq.http.x-cdn-url = bereq.url;
  set bereq.url = "/";
}
