// Shows the signature of the call around the pointer, and highlights the current argument. Uses only the text, since
// the call is not closed yet.

import type { SignatureHelp } from "vscode-languageserver";
import type { BuiltinCatalogue } from "../../compiler/builtins/catalogue.ts";
import { signatureOf } from "../../compiler/builtins/describe.ts";
import { describeBuiltin } from "./markdown.ts";

/** The maximum number of characters between the start of a call and the pointer. */
const longestCall = 4000;

/** Returns help for the text before the pointer; `null` outside calls. */
export function signatureHelp(before: string, builtins: BuiltinCatalogue): SignatureHelp | null {
  const text = before.slice(-longestCall);
  const call = findOpenCall(text);
  if (call === undefined) return null;
  const builtin = call.isMethod ? builtins.findMethod(call.name) : builtins.findFunction(call.name);
  if (builtin === undefined) return null;
  const label = signatureOf(builtin);
  const from = label.indexOf(`${builtin.name}(`);
  const parameters = builtin.parameters.map(({ name }) => {
    const start = label.indexOf(name, from + builtin.name.length + 1);
    return { label: [start, start + name.length] as [number, number] };
  });
  const named = builtin.parameters.findIndex(({ name }) => name === call.argument);
  const activeParameter = Math.min(named === -1 ? call.index : named, Math.max(0, parameters.length - 1));
  const documentation = { kind: "markdown" as const, value: describeBuiltin(builtin) };
  return { signatures: [{ label, documentation, parameters }], activeSignature: 0, activeParameter };
}

interface OpenCall {
  readonly name: string;
  readonly isMethod: boolean;
  readonly index: number;
  /** The name of the argument, if it has one. */
  readonly argument: string | undefined;
}

/** Returns the innermost call whose bracket is open at the end of the text. */
function findOpenCall(text: string): OpenCall | undefined {
  const open: { readonly start: number; commas: number; last: number }[] = [];
  for (const { 0: token, index } of text.matchAll(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|[([{)\]},]/g)) {
    const inner = open.at(-1);
    if (token === "(" || token === "[" || token === "{") open.push({ start: index, commas: 0, last: index });
    else if (token === ")" || token === "]" || token === "}") open.pop();
    else if (token === "," && inner !== undefined) {
      inner.commas++;
      inner.last = index;
    }
  }
  const call = open.findLast(({ start }) => text[start] === "(" && /\w$/.test(text.slice(0, start)));
  if (call === undefined) return undefined;
  const head = /(\.?)(\w+)$/.exec(text.slice(0, call.start));
  const argument = /^[(,]\s*(\w+)\s*:/.exec(text.slice(call.last))?.[1];
  return { name: head?.[2] ?? "", isMethod: head?.[1] === ".", index: call.commas, argument };
}
