import { StringDecoder } from "node:string_decoder";
import type { Scanner } from "../component/scanner.ts";
import { MappingError } from "../errors.ts";
import { XmlDocuments } from "../mapping/xml-documents.ts";
import { Message } from "../message/message.ts";
import type { Value } from "../message/value.ts";
import { asBuffer } from "../text/utf8.ts";
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
      const decoder = new StringDecoder("utf8");
      const documents = new XmlDocuments(cast);
      for await (const chunk of bytes) {
        for (const document of read(documents, decoder.write(asBuffer(chunk)))) yield messageOf(document);
        if (documents.held > largestMessage)
          throw unfitSource(`A document is larger than ${largestMessage} characters`);
        await keep?.(documents.held);
      }
      for (const document of read(documents, decoder.end())) yield messageOf(document);
      if (documents.isOpen) throw unfitSource("The last XML document is cut off");
    },
  };
}

function* read(documents: XmlDocuments, text: string): Generator<Value> {
  try {
    yield* documents.add(text);
  } catch (error) {
    if (error instanceof MappingError) throw unfitSource(error.message, error);
    throw error;
  }
}

function messageOf(document: Value): Message {
  return Message.fromText("").withDocument(document);
}
