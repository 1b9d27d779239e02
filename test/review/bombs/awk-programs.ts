import { linkProgram } from "../../runtime/processors/awk/linked.ts";

/** AWK programs, by what their messages claim. */
export const awkBombs = await Promise.all(
  Object.entries({
    "a number of rounds": "{ for (i = 0; i < n; i++) x = x + i }",
    "a text that doubles": "{ for (i = 0; i < n; i++) t = t a a }",
    "a padded number": '{ for (i = 0; i < n; i++) printf "%*d", n % 999983, 1 }',
    "elements of arrays": "{ for (i = 0; i < n; i++) e[i] = i }",
    "fields of a record": "{ for (i = 1; i < n; i++) $i = a }",
    "replaced letters": "{ for (i = 0; i < n; i++) gsub(/a/, a, a) }",
    "matches of a pattern": '{ for (i = 0; i < n; i++) split(a, p, "(a|aa)+$") }',
    "elements of a document": '{ for (i = 0; i < n; i++) json_append("b", i) }',
    "fields of a document": "{ for (i = 0; i < n; i++) json_set(i, a) }",
    "calls in calls": "function f(m) { return m ? f(m - 1) + f(m - 1) : 1 } { f(n % 997) }",
  }).map(async ([name, program]) => {
    const linked = await linkProgram({ codec: "json", program });
    if (!("processor" in linked)) throw new Error(linked.join());
    return [name, linked.processor] as const;
  }),
);
