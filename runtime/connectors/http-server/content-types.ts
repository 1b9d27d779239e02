// Which content a browser only shows or keeps, and does not run.

/** A type, subtype and parameters without a comma, which would make a list of several types (RFC 9110, section 8.3.1). */
const singleType = /^([\w!#$&^.+-]+)\/([\w!#$&^.+-]+) ?(?:;[^,]*)?$/;

/** Types of documents that browsers run scripts of, or that are made of parts with types of their own. */
const scripted = new Set(["html", "xhtml+xml", "xml", "xsl", "xsl+xml"]);

/** Whether content of that type runs no scripts where it is opened. Such a type is also spelled as one. */
export function isInert(contentType: string): boolean {
  const [, type = "", subtype = ""] = singleType.exec(contentType.toLowerCase()) ?? [];
  if (type === "" || type === "multipart") return false;
  return !scripted.has(subtype) && !subtype.endsWith("+xml");
}
