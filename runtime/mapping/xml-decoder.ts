// Reads XML as the decoder of the reference engine does when it is not strict: attributes need neither quotes nor
// values, unknown entities stay as they are, and an end tag also ends the unclosed elements inside its element.

import { unicodePattern } from "../text/memo.ts";
import { quoteText } from "../text/quoting.ts";
import { asBuffer, decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { bytesThat, end, notXml, type Reading, unusableXml, XmlBytes } from "./xml-bytes.ts";

/** Receives the parts of a document. `isComplete` is true when the outermost element has ended. */
export interface XmlTree {
  readonly isComplete: boolean;
  begin(name: string, attributes: readonly (readonly [string, string])[]): void;
  text(text: string): void;
  end(): void;
}

interface Name {
  readonly space: string;
  readonly local: string;
}

const [exclamation, quotation, hash, ampersand, apostrophe, hyphen, slash] = [33, 34, 35, 38, 39, 45, 47];
const [semicolon, less, equals, greater, question, openBracket, closeBracket] = [59, 60, 61, 62, 63, 91, 93];
const [newline, carriageReturn, letterX] = [10, 13, 120];

const decimals = /* @__PURE__ */ bytesThat((character) => /[0-9]/.test(character));
const hexadecimals = /* @__PURE__ */ bytesThat((character) => /[0-9a-fA-F]/.test(character));
const unquoted = /* @__PURE__ */ bytesThat((character) => /[a-zA-Z0-9_:-]/.test(character));
const inNames = /* @__PURE__ */ bytesThat((character) => /[A-Za-z0-9_:.\u0080-\u00ff-]/.test(character));
const plain = /* @__PURE__ */ bytesThat((character) => /[\t\n\r\x20-\x7f]/.test(character));
/** Characters that have no meaning in texts. */
const ordinary = /* @__PURE__ */ bytesThat((character) => /[\t\x20!#-%(-;=?-\\^-\x7f]/.test(character));
const nameSyntax = /* @__PURE__ */ unicodePattern(
  "^[\\p{L}\\p{Nl}_:][\\p{L}\\p{Nl}\\p{M}\\p{Nd}_:.\\u00b7-]*$",
);
const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const entities: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["apos", "'"],
  ["quot", '"'],
]);

/** Reads one document, whose bytes may arrive in chunks. It looks at each byte once. */
export class XmlDecoder {
  readonly #tree: XmlTree;
  readonly #open: Name[] = [];
  readonly #steps: Reading<void>;
  readonly #source = new XmlBytes();
  /** Whether the outermost element has begun. */
  hasBegun = false;
  /** The number of bytes before the outermost element. */
  #before = 0;

  constructor(tree: XmlTree) {
    this.#tree = tree;
    this.#steps = this.#document();
  }

  /** The number of bytes of the document so far, without what is before its outermost element. */
  get held(): number {
    return this.#source.given - this.#before;
  }

  /** The bytes of the last chunk after the end of the document. */
  get rest(): Uint8Array {
    return this.#source.rest;
  }

  /** Reads a chunk until the document ends. Throws a `MappingError` if it is not XML. */
  add(chunk: Uint8Array, isLast: boolean): void {
    this.#source.add(chunk, isLast);
    this.#steps.next();
  }

  *#document(): Reading<void> {
    while (!this.#tree.isComplete) {
      const byte = this.#source.next() ?? (yield* this.#source.more());
      if (byte === end)
        throw this.#open.length > 0 ? this.#source.syntax("unexpected EOF") : notXml("EOF", "");
      const after = byte === less ? (this.#source.next() ?? (yield* this.#source.must())) : end;
      if (after === slash) yield* this.#endTag();
      else if (after === question) yield* this.#instruction();
      else if (after === exclamation) yield* this.#declaration();
      else {
        this.#source.at--;
        if (byte === less) yield* this.#startTag();
        else this.#tree.text(yield* this.#text(end, false));
      }
      if (!this.hasBegun) this.#before = this.#source.given - (this.#source.bytes.length - this.#source.at);
    }
  }

  *#startTag(): Reading<void> {
    const name = this.#qualified(
      this.#source.nextOf(inNames) ?? (yield* this.#source.take(inNames)),
      "expected element name after <",
    );
    const attributes: [string, string][] = [];
    let byte = this.#source.nextAfterBlanks() ?? (yield* this.#source.afterBlanks());
    while (byte !== greater && byte !== slash) {
      this.#source.at--;
      const { local } = this.#qualified(
        this.#source.nextOf(inNames) ?? (yield* this.#source.take(inNames)),
        "expected attribute name in element",
      );
      byte = this.#source.nextAfterBlanks() ?? (yield* this.#source.afterBlanks());
      if (byte === equals) {
        attributes.push([local, yield* this.#attributeValue()]);
        byte = this.#source.nextAfterBlanks() ?? (yield* this.#source.afterBlanks());
      } else attributes.push([local, local]);
    }
    if (byte === slash && (this.#source.next() ?? (yield* this.#source.must())) !== greater)
      throw this.#source.syntax("expected /> in element");
    this.hasBegun = true;
    this.#open.push(name);
    this.#tree.begin(name.local, attributes);
    if (byte === slash) this.#close(name);
  }

  *#attributeValue(): Reading<string> {
    const byte = this.#source.nextAfterBlanks() ?? (yield* this.#source.afterBlanks());
    if (byte === quotation || byte === apostrophe) return yield* this.#text(byte, false);
    this.#source.at--;
    return this.#source.nextOf(unquoted) ?? (yield* this.#source.take(unquoted));
  }

  *#endTag(): Reading<void> {
    const name = this.#qualified(
      this.#source.nextOf(inNames) ?? (yield* this.#source.take(inNames)),
      "expected element name after </",
    );
    const byte = this.#source.nextAfterBlanks() ?? (yield* this.#source.afterBlanks());
    if (byte !== greater) throw this.#source.syntax(`invalid characters between </${name.local} and >`);
    this.#close(name);
  }

  /** Ends elements up to the one that an end tag names. */
  #close({ local, space }: Name): void {
    while (!this.#tree.isComplete) {
      const open = this.#open.pop();
      if (open === undefined) throw this.#source.syntax(`unexpected end element </${local}>`);
      if (open.local === local && open.space !== space)
        throw this.#source.syntax(
          `element <${local}> in space ${open.space} closed by </${local}> in space ${space === "" ? '""' : space}`,
        );
      this.#tree.end();
      if (open.local === local) return;
    }
  }

  *#instruction(): Reading<void> {
    const target = this.#named(this.#source.nextOf(inNames) ?? (yield* this.#source.take(inNames)));
    if (target === "") throw this.#source.syntax("expected target name after <?");
    const content: number[] = [];
    for (let before = 0; ; ) {
      const byte = this.#source.next() ?? (yield* this.#source.must());
      if (before === question && byte === greater) break;
      if (target === "xml") content.push(byte);
      before = byte;
    }
    if (target === "xml") this.#declare(decodeUtf8(Uint8Array.from(content)));
  }

  /** Applies an XML declaration. */
  #declare(content: string): void {
    const version = declared("version", content);
    if (version !== "" && version !== "1.0")
      throw unusableXml(`xml: unsupported version ${quoteText(version)}; only version 1.0 is supported`);
    const encoding = declared("encoding", content);
    if (encoding !== "" && encoding.toLowerCase() !== "utf-8") this.#source.decodeFrom(encoding);
  }

  *#declaration(): Reading<void> {
    const byte = this.#source.next() ?? (yield* this.#source.must());
    if (byte === hyphen) {
      if ((this.#source.next() ?? (yield* this.#source.must())) !== hyphen)
        throw this.#source.syntax("invalid sequence <!- not part of <!--");
      yield* this.#comment(true);
    } else if (byte === openBracket) {
      for (const expected of "CDATA[")
        if ((this.#source.next() ?? (yield* this.#source.must())) !== expected.charCodeAt(0))
          throw this.#source.syntax("invalid <![ sequence");
      this.#tree.text(yield* this.#text(end, true));
    } else yield* this.#directive();
  }

  /** Skips to the end of a comment. With `isStrict`, it contains no other `--`. */
  *#comment(isStrict: boolean): Reading<void> {
    for (let [before, last] = [0, 0]; ; ) {
      const byte = this.#source.next() ?? (yield* this.#source.must());
      if (before === hyphen && last === hyphen) {
        if (byte === greater) return;
        if (isStrict) throw this.#source.syntax('invalid sequence "--" not allowed in comments');
      }
      [before, last] = [last, byte];
    }
  }

  /** Skips a directive, such as `<!DOCTYPE …>`, with those inside it. */
  *#directive(): Reading<void> {
    let quote = 0;
    let depth = 0;
    // The text after a `<` that may begin a comment.
    let opening = 0;
    for (;;) {
      const byte = this.#source.next() ?? (yield* this.#source.must());
      if (opening > 0) {
        if (byte === (opening === 1 ? exclamation : hyphen)) {
          opening = opening === 3 ? 0 : opening + 1;
          if (opening === 0) yield* this.#comment(false);
          continue;
        }
        opening = 0;
        depth++;
      } else if (quote === 0 && byte === greater && depth === 0) return;
      if (byte === quote) quote = 0;
      else if (quote !== 0) continue;
      else if (byte === apostrophe || byte === quotation) quote = byte;
      else if (byte === greater) depth--;
      else if (byte === less) opening = 1;
    }
  }

  /** Reads text up to a `<`, which it leaves, or up to the quote or the end of CDATA, which it skips. */
  *#text(quote: number, isCdata: boolean): Reading<string> {
    const parts: Uint8Array[] = [];
    // Where more documents may follow, what is between them is neither kept nor validated.
    const isBetween = !this.hasBegun && quote === end && !this.#source.isLast;
    let isPlain = true;
    let from = this.#source.at;
    let [before, last] = [0, 0];
    const take = (after: number): number =>
      parts.push(this.#source.bytes.subarray(from, this.#source.at - after));
    for (;;) {
      const begin = this.#source.at;
      this.#source.skip(ordinary);
      // None of these is a bracket or a line end, the only bytes that matter to those after them.
      if (this.#source.at > begin) [before, last] = [0, 0];
      const byte = this.#source.bytes[this.#source.at++];
      if (byte === undefined) {
        take(0);
        if ((yield* this.#source.more()) === end) {
          if (isCdata) throw this.#source.syntax("unexpected EOF in CDATA section");
          break;
        }
        from = --this.#source.at;
        if (isBetween) {
          parts.length = 0;
          this.#before = this.#source.given - this.#source.bytes.length;
        }
        continue;
      }
      if (byte === greater && quote === end && before === closeBracket && last === closeBracket) {
        if (!isCdata) throw this.#source.syntax("unescaped ]]> not in CDATA section");
        take(1);
        break;
      }
      if (byte === quote || (byte === less && !isCdata)) {
        take(1);
        if (byte === quote) break;
        if (quote !== end) throw this.#source.syntax("unescaped < inside quoted string");
        this.#source.at--;
        break;
      }
      if (byte === ampersand && !isCdata) {
        take(1);
        parts.push(encodeUtf8(yield* this.#reference()));
        isPlain = false;
        from = this.#source.at;
        [before, last] = [0, 0];
        continue;
      }
      if (byte === carriageReturn || (byte === newline && last === carriageReturn)) {
        take(1);
        if (byte === carriageReturn) parts.push(Uint8Array.of(newline));
        from = this.#source.at;
      }
      if (plain[byte] !== 1) isPlain = false;
      before = last;
      last = byte;
    }
    const [first] = parts;
    if (isPlain && first !== undefined && parts.length === 1) {
      const text = asBuffer(first).toString("latin1");
      return isCdata ? text.slice(0, -2) : text;
    }
    const joined = decodeUtf8(Buffer.concat(parts));
    const text = isCdata ? joined.slice(0, -2) : joined;
    const code = isBetween ? undefined : illegal.exec(text)?.[0].codePointAt(0);
    if (code === undefined) return text;
    if (code >= 0xd800 && code < 0xe000) throw this.#source.syntax("invalid UTF-8");
    throw this.#source.syntax(`illegal character code U+${code.toString(16).toUpperCase().padStart(4, "0")}`);
  }

  /** Returns what a reference after its `&` stands for: one that is not known stands for itself. */
  *#reference(): Reading<string> {
    const first = this.#source.next() ?? (yield* this.#source.must());
    if (first !== hash) {
      this.#source.at--;
      const name = this.#source.nextOf(inNames) ?? (yield* this.#source.take(inNames));
      if (!(yield* this.#source.isNext(semicolon))) return `&${name}`;
      return entities.get(name) ?? `&${name};`;
    }
    const isHexadecimal = yield* this.#source.isNext(letterX);
    const digits = yield* this.#source.take(isHexadecimal ? hexadecimals : decimals);
    const literal = `&#${isHexadecimal ? "x" : ""}${digits}`;
    if (!(yield* this.#source.isNext(semicolon))) return literal;
    const code = Number.parseInt(digits, isHexadecimal ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : `${literal};`;
  }

  /** Returns the parts of a name, which has one colon at most. */
  #qualified(name: string, expected: string): Name {
    const parts = this.#named(name).split(":");
    if (name === "" || parts.length > 2) throw this.#source.syntax(expected);
    const [space = "", local = ""] = parts;
    return space === "" || local === "" ? { space: "", local: name } : { space, local };
  }

  #named(name: string): string {
    if (name !== "" && !nameSyntax().test(name)) throw this.#source.syntax(`invalid XML name: ${name}`);
    return name;
  }
}

/** Returns the value of a part of an XML declaration; empty if it has none. */
function declared(name: string, content: string): string {
  const key = `${name}=`;
  for (let at = content.indexOf(key); at >= 0; at = content.indexOf(key, at + key.length + 1)) {
    const from = at + key.length + 1;
    const quote = content.charAt(from - 1);
    if (quote === "'" || quote === '"')
      return content.slice(from, Math.max(from, content.indexOf(quote, from)));
  }
  return "";
}
