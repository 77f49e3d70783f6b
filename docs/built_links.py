"""Links of the finished site: whether each leads to a page and a place that are there."""
import html.parser
import pathlib
import urllib.parse


class Page(html.parser.HTMLParser):
    """The places of a page, and where its links lead."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)
            if name == "href" and tag == "a" and value:
                self.links.append(value)


def dead_links(folder):
    """["page: link"] for every link within the site that leads nowhere."""
    folder = pathlib.Path(folder).resolve()
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in folder.rglob("*.html")}
    found = []
    for file, page in pages.items():
        for link in page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (file.parent / urllib.parse.unquote(address.path)).resolve() if address.path else file
            place = urllib.parse.unquote(address.fragment)
            if not target.exists() or (place and target in pages and place not in pages[target].places):
                found.append(f"{file.relative_to(folder)}: {link}")
    return found
