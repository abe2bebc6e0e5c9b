"use client";
/**
 * False on the server and during hydration, true afterwards. Controls that need a script wait for it: a click on
 * a page that has not come to life yet would be lost without a word.
 */
import { useSyncExternalStore } from "react";

const never = () => () => {};

export function useInBrowser(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
