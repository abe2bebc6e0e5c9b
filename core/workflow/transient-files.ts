/** The names of all transient files, as the tasks that write them know them. */
import type { Span } from "@/core/problem";
import type { Application } from "./application";
import { expandList } from "./expand";
import { outputDestination } from "./file-names";
import { denseStrides, forEachElement } from "./loops";

export function transientFiles(application: Application, visit: (file: string, at?: Span) => void): Set<string> {
  const names = new Set<string>();
  for (const { loops, files, at } of application.transient) {
    forEachElement(loops, denseStrides(loops), 0, (_, bindings) => {
      for (const template of files) {
        for (const written of expandList(template, bindings)) {
          const destination = outputDestination(written);
          const name = destination.is === "inside" ? destination.name : written;
          names.add(name);
          visit(name, at);
        }
      }
    });
  }
  return names;
}
