// The format `url` of schemas. The regular expression of the library is not linear.

const scheme = /^(?:https?|ftp):\/\//i;
const port = /:\d{2,5}$/;
const address =
  /^(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4])$/;
const privateAddress =
  /^(?:(?:10|127)(?:\.\d{1,3}){3}|(?:169\.254|192\.168)(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[0-1])(?:\.\d{1,3}){2})/;
const label = /^[a-z0-9\u{00a1}-\u{ffff}]+(?:-[a-z0-9\u{00a1}-\u{ffff}]+)*$/iu;
const lastLabel = /^[a-z\u{00a1}-\u{ffff}]{2,}$/iu;

/** Whether the text is a URL with a public host. Reads the text before an `@` once, wherever the host begins. */
export function isUrl(text: string): boolean {
  const begin = scheme.exec(text)?.[0].length;
  if (begin === undefined || /\s/.test(text)) return false;
  for (let start = begin; ; ) {
    const slash = text.indexOf("/", start);
    const authority = text.slice(start, slash === -1 ? text.length : slash);
    const userEnd = authority.lastIndexOf("@");
    // At least one character must precede the `@`, counted from the scheme.
    const isUser = userEnd === -1 || start + userEnd > begin;
    if (isUser && isHost(authority.slice(userEnd + 1))) return true;
    const next = slash === -1 ? -1 : text.indexOf("@", slash);
    if (next === -1) return false;
    start = next + 1;
  }
}

function isHost(text: string): boolean {
  const host = text.replace(port, "");
  if (address.test(host)) return !privateAddress.test(host);
  return isName(host);
}

function isName(host: string): boolean {
  const labels = host.split(".");
  return labels.length > 1 && lastLabel.test(labels.at(-1) ?? "") && labels.every((each) => label.test(each));
}
