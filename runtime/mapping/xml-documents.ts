// Splits text that arrives in chunks into XML documents.

import { Parser } from "htmlparser2";
import type { Value } from "../message/value.ts";
import { TreeBuilder } from "./xml.ts";

/** Finds the ends of documents. It reads each character once. */
export class XmlDocuments {
  readonly #casts: boolean;
  #tree: TreeBuilder;
  #parser: Parser;
  /** The number of characters passed to the parser. */
  #given = 0;

  constructor(casts: boolean) {
    this.#casts = casts;
    [this.#tree, this.#parser] = this.#begin();
  }

  /** The number of characters of the incomplete document. */
  get held(): number {
    return this.#given;
  }

  /** Whether a document has begun but not ended. */
  get isOpen(): boolean {
    return this.#tree.begun && this.#tree.result === undefined;
  }

  /** Yields the documents that end in a chunk. Throws a `MappingError` if elements are nested too deep. */
  *add(text: string): Generator<Value> {
    let rest = text;
    while (rest !== "") {
      const before = this.#given;
      this.#given += rest.length;
      this.#parser.write(rest);
      const { result } = this.#tree;
      if (result === undefined) {
        // Nothing between documents is kept, unless a tag, a comment or similar has begun: what has not ended is after
        // the parser's position. The parser's position is also 0 before it has read anything.
        const isBetween = this.#parser.endIndex + 1 >= this.#given && !rest.endsWith("<");
        if (!this.#tree.begun && isBetween) [this.#tree, this.#parser] = this.#begin();
        return;
      }
      rest = rest.slice(this.#parser.endIndex + 1 - before);
      [this.#tree, this.#parser] = this.#begin();
      yield result;
    }
  }

  #begin(): [TreeBuilder, Parser] {
    this.#given = 0;
    const tree = new TreeBuilder(this.#casts);
    const parser: Parser = new Parser(
      {
        onopentagname: () => tree.onopentagname(),
        onattribute: (name, value, quote) => tree.onattribute(name, value, quote),
        onopentag: (name) => tree.onopentag(name),
        ontext: (piece) => tree.ontext(piece),
        oncomment: () => tree.oncomment(),
        oncdatastart: () => tree.oncdatastart(),
        oncdataend: () => tree.oncdataend(),
        onprocessinginstruction: () => tree.onprocessinginstruction(),
        onclosetag() {
          tree.onclosetag();
          if (tree.result !== undefined) parser.pause();
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
    return [tree, parser];
  }
}
