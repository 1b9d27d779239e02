import type { Scanner } from "../component/scanner.ts";
import { MappingError } from "../errors.ts";
import { TreeBuilder } from "../mapping/xml.ts";
import { XmlDecoder } from "../mapping/xml-decoder.ts";
import { Message } from "../message/message.ts";
import { largestMessage, unfitSource } from "./gathered.ts";
import {
  type XmlDocumentsScannerOptions,
  xmlDocumentsScannerDefaults,
} from "./generated/xml-documents-scanner-options.ts";

/** Makes a message of each XML document, as JSON. Skips what is between documents. */
export function xmlDocumentsScanner(options: XmlDocumentsScannerOptions): Scanner {
  const { cast } = { ...xmlDocumentsScannerDefaults, ...options };
  return {
    async *scan({ bytes, keep }) {
      let [tree, decoder] = begin(cast);
      for await (const chunk of bytes) {
        for (let rest: Uint8Array = chunk; rest.length > 0; ) {
          read(decoder, rest);
          if (tree.result === undefined) break;
          yield Message.fromText("").withDocument(tree.result);
          rest = decoder.rest;
          [tree, decoder] = begin(cast);
        }
        if (decoder.held > largestMessage)
          throw unfitSource(`A document is larger than ${largestMessage} bytes`);
        await keep?.(decoder.held);
      }
      if (decoder.hasBegun) throw unfitSource("The last XML document is cut off");
    },
  };
}

function begin(casts: boolean): [TreeBuilder, XmlDecoder] {
  const tree = new TreeBuilder(casts);
  return [tree, new XmlDecoder(tree)];
}

function read(decoder: XmlDecoder, chunk: Uint8Array): void {
  try {
    decoder.add(chunk, false);
  } catch (error) {
    if (error instanceof MappingError) throw unfitSource(error.message, error);
    throw error;
  }
}
