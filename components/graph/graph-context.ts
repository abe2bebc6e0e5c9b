"use client";
/** What nodes and edges of one drawn graph share without being re-created for it. */
import { createContext } from "react";
import type { Workflow } from "@/core/workflow/workflow";
import type { TaskStates } from "./task-states";

export interface GraphShared {
  /** Absent: a draft, drawn without states. */
  states?: TaskStates;
  workflow?: Workflow;
  /** The edge under the pointer or beside the selected task: `FROM-TO`. */
  hovered?: string;
}

export const GraphContext = createContext<GraphShared>({});
