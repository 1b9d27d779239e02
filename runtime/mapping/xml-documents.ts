// Several XML documents in one text that comes in pieces.

import { Parser } from "htmlparser2";
import type { Value } from "../message/value.ts";
import { TreeBuilder } from "./xml.ts";

/** Finds where documents end; each character is read once. */
export class XmlDocuments {
  readonly #casts: boolean;
  #tree: TreeBuilder;
  #parser: Parser;
  /** Characters that the parser has been given. */
  #given = 0;

  constructor(casts: boolean) {
    this.#casts = casts;
    [this.#tree, this.#parser] = this.#begin();
  }

  /** Characters of the document that is not whole yet. */
  get held(): number {
    return this.#given;
  }

  /** Whether a document has begun and not ended. */
  get isOpen(): boolean {
    return this.#tree.begun && this.#tree.result === undefined;
  }

  /** The documents that end in a piece of the text. Throws a `MappingError` where they are nested too deeply. */
  *add(text: string): Generator<Value> {
    let rest = text;
    while (rest !== "") {
      const before = this.#given;
      this.#given += rest.length;
      this.#parser.write(rest);
      const { result } = this.#tree;
      if (result === undefined) {
        // Nothing of what stands between documents is kept, unless a tag, comment or the like has begun: what has not ended yet
        // is behind the parser's place. Before the first place it says 0, too.
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
