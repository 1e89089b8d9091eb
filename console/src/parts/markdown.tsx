import DOMPurify from "dompurify";
import { marked } from "marked";
import { memo } from "react";

const ALLOWED = {
  ALLOWED_TAGS: [
    "p",
    "br",
    "b",
    "strong",
    "i",
    "em",
    "s",
    "del",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "a",
    "blockquote",
    "hr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
  ],
  ALLOWED_ATTR: ["href", "title", "start", "align"],
  ALLOWED_URI_REGEXP: /^(https?:|mailto:|\/|#)/i,
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("target", "_blank");
});

/** Text of a model. Images, styles and scripts are removed: text of strangers loads nothing and runs nothing. */
export function toHtml(text: string): string {
  return DOMPurify.sanitize(marked.parse(text, { async: false, gfm: true, breaks: false }), ALLOWED);
}

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return <div className="prose" dangerouslySetInnerHTML={{ __html: toHtml(text) }} />;
});
