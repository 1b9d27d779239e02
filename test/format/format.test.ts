import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { formatMappingFile, formatScript } from "../../compiler/format/format-document.ts";
import { parseMapping } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { arbitraryMapping } from "../fuzz/arbitrary-source.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { printMapping } from "../harness/mapping-printer.ts";
import { warmSluice } from "../harness/sluice.ts";

const format = (text: string) => formatScript(text, "Mapping");

test("a script is indented and spaced", () => {
  const before = `let  a =  this.x+1   # one
root.b =   match this.kind{
"a"=>[ 1,2 ,3 ]
    _ => {"k":this.v , "w": this.items.0.id}
}


if $a>=2&&!( this.c ){
root.d = this.foo.
split( ","  ).
      map_each( x  -> x.y+1 ).slice(low:1 ,high: 2)
} else {
        # kept
root.e = this.list[1:2]
}
map shout {
root = this.uppercase()
}
`;
  const after = `let a = this.x + 1 # one
root.b = match this.kind {
  "a" => [1, 2, 3]
  _ => {"k": this.v, "w": this.items.0.id}
}

if $a >= 2 && !(this.c) {
  root.d = this.foo.
    split(",").
    map_each(x -> x.y + 1).slice(low: 1, high: 2)
} else {
  # kept
  root.e = this.list[1:2]
}
map shout {
  root = this.uppercase()
}
`;
  assert.is(format(before), after);
  assert.is(format(after), after);
});

test("strings keep their whitespace, and scripts with mistakes are not changed", () => {
  const text = 'root.a = """x   y\n   z"""\nroot.b = "a  +b"\n';
  assert.is(format(text), text);
  assert.is(format("root.a  =  (\n"), "root.a  =  (\n");
});

/** Every mapping of the tests and examples that stands in a file of its own or in a literal block. */
function corpus(): readonly string[] {
  const files = globSync("{examples,bench/mappings,test/{parse,inference,corpus}}/**/*.{blobl,yaml}", {
    cwd: projectRoot,
  });
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(projectRoot, file), "utf8");
    if (file.endsWith(".blobl")) return [text];
    const blocks = text.matchAll(
      /^( *)(?:- )?(?:mapping|mutation|bloblang|request_map|result_map|check): \|\n((?:\1 {2,}.*\n| *\n)+)/gm,
    );
    return [...blocks].map(([, , block = ""]) =>
      block.replace(new RegExp(`^ {${/^ */.exec(block)?.[0].length}}`, "gm"), ""),
    );
  });
}

function meaning(text: string): string | undefined {
  let isWhole = true;
  const mapping = parseMapping(createSourceFile("", text), () => {
    isWhole = false;
  });
  return mapping === undefined || !isWhole ? undefined : printMapping(mapping);
}

test("formatting keeps meaning and comments, and is idempotent", () => {
  const scripts = corpus();
  assert.ok(scripts.length > 300, String(scripts.length));
  let formatted = 0;
  for (const script of scripts) {
    const once = format(script);
    if (once !== script) formatted++;
    assert.is(meaning(once), meaning(script), script);
    assert.is(format(once), once, script);
    assert.is(once.replace(/\s/g, ""), script.replace(/\s/g, ""));
  }
  assert.ok(formatted > 3, String(formatted));
});

/** Blanks, line breaks and comments put where the grammar allows them, and some where it does not. */
function disturb(text: string, pick: (below: number) => number): string {
  const tokens =
    text.match(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|\n|[ \t]+|\w+|->|=>|[=!<>]=|&&|\|\||[\s\S]/g) ??
    [];
  const around: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^[ \t]+$/, ["  ", "\t", " \t "]],
    [/^\n$/, [' # é😀 "quote\n', "\n\n\n", "\n   # own\n", "\t\n"]],
    [/^[([{]$/, ["$&\n", "$& ", "$& # c\n"]],
    [/^[)\]}]$/, ["\n$&", " $&"]],
    [/^(?:,|->|=>|==|&&|\|\||[+*/.])$/, [" $&", "$& ", "$&\n", "$& # c\n "]],
  ];
  const disturbed = tokens.map((token) => {
    const [, forms = []] = around.find(([pattern]) => pattern.test(token)) ?? [];
    const form = pick(5) === 0 ? forms[pick(Math.max(1, forms.length))] : undefined;
    return form?.replace("$&", () => token) ?? token;
  });
  const joined = disturbed.join("");
  return pick(4) === 0 ? joined.replace(/\r?\n/g, "\r\n") : joined;
}

test("formatting any layout keeps meaning and comments, and is idempotent", () => {
  let laidOut = 0;
  const pick = fc.infiniteStream(fc.nat());
  fc.assert(
    fc.property(arbitraryMapping(), pick, (mapping, numbers) => {
      const next = (below: number) => Number(numbers.next().value) % below;
      const script = disturb(mapping, next);
      const once = format(script);
      const before = meaning(script);
      if (before === undefined) {
        assert.is(once, script);
        return;
      }
      laidOut++;
      assert.is(meaning(once), before, script);
      assert.is(format(once), once, script);
      assert.is(once.replace(/\s/g, ""), script.replace(/\s/g, ""));
      const file = formatMappingFile(script);
      assert.is(formatMappingFile(file), file, script);
    }),
    { numRuns: 400, seed: 20_261_128 },
  );
  assert.ok(laidOut > 100, String(laidOut));
});

test("Windows line breaks are kept", () => {
  const text = "root.a = 1 # one\r\n# two\r\nroot.b =  [ # three\r\n1]\r\n";
  const expected = "root.a = 1 # one\r\n# two\r\nroot.b = [ # three\r\n  1]\r\n";
  assert.is(formatMappingFile(text), expected);
  assert.is(formatMappingFile(expected), expected);
});

test("`sluice fmt` changes only literal blocks", async () => {
  const cwd = temporaryDirectory("fmt");
  const document = `# kept\r\ninput:   { generate: { mapping: "root.a =  1" } }\r\npipeline:\r\n  processors:\r\n    - mapping: |-\r\n        root.a =  this.b   # 😀\r\n        if this.c {\r\n        root.d = 1\r\n        }\r\noutput:  { drop: {} }\r\n`;
  writeFileSync(join(cwd, "stream.yaml"), document);
  writeFileSync(join(cwd, "own.blobl"), "root.a =  1");
  const checked = await warmSluice(["fmt", "--check", "stream.yaml", "own.blobl"], { cwd });
  assert.is(checked.status, 1);
  assert.is(checked.stdout, "stream.yaml\nown.blobl\n");
  assert.is((await warmSluice(["fmt", "stream.yaml", "own.blobl"], { cwd })).status, 0);
  const expected = document
    .replace("root.a =  this.b   #", "root.a = this.b #")
    .replace("        root.d", "          root.d");
  assert.is(readFileSync(join(cwd, "stream.yaml"), "utf8"), expected);
  assert.is(readFileSync(join(cwd, "own.blobl"), "utf8"), "root.a = 1\n");
  assert.is((await warmSluice(["fmt", "--check", "stream.yaml", "own.blobl"], { cwd })).status, 0);
});

test.run();
