// `xml`: converts XML to JSON as `.parse_xml()` does.

import type { Processor } from "../../component/component.ts";
import { readXml } from "../../mapping/xml.ts";
import { type XmlOptions, xmlDefaults } from "../generated/xml-options.ts";
import { converting } from "./converting.ts";

/** Converts each message from XML to JSON. */
export function xml(options: XmlOptions): Processor {
  const { cast } = { ...xmlDefaults, ...options };
  return converting("xml", (message) => message.withDocument(readXml(message.bytes(), cast)));
}
