"""Whether a page kept what strangers wrote from running. Beside it the watch of ``conftest.py``
fails on a dialog, on a request to anywhere else and on any console message, so not even the content
security policy has anything to stop."""

from playwright.sync_api import Page


def harmless(page: Page) -> None:
    """The page has no element and no attribute that could run or load anything."""
    wrong = page.evaluate(
        """() => [...document.querySelectorAll("main *")].flatMap((e) => {
            const bad = ["script", "style", "iframe", "object", "embed", "img", "svg", "math",
                "video", "audio", "link", "meta", "base"].includes(e.localName);
            const names = e.getAttributeNames();
            const on = names.filter((n) => n.startsWith("on") || n === "style" || n === "srcdoc");
            const links = ["href", "src", "action", "formaction"].map((n) => e.getAttribute(n))
                .filter((v) => v && !/^(https?:|mailto:|[/?#])/.test(v));
            return bad || on.length || links.length ? [e.outerHTML.slice(0, 200)] : [];
        })"""
    )
    assert wrong == []
