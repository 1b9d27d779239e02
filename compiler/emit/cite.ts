// Where a part was written, as a comment above its code.

import { locate, type Span } from "../source/source.ts";
import { type Code, comment } from "./code.ts";

/** `// orders.yaml:22  what` */
export function cite(span: Span, what = ""): Code {
  const { file, start } = locate(span);
  return comment(`${file.path}:${start.line}${what === "" ? "" : `  ${what}`}`);
}
