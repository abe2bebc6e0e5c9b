/** What a submit description is read with: the node or task it is for, and the settings in force. */
import type { Place } from "./source";

export interface NodeContext {
  /** With the prefix of its splice. */
  name: string;
  /** HTCondor counts submissions; here it is the place of the node or task among the others, from 1. */
  cluster: number;
  /** In the order of the file; those with `append` win over the description. */
  variables: { name: string; value: string; append: boolean; place: Place }[];
  directory: string;
  place: Place;
}

export interface Setting {
  key: string;
  value: string;
  place: Place;
}
