"use client";
/**
 * The texts of a workflow in CodeMirror, one at a time, with problems marked at their place. Each file has a state of
 * its own, so undo and cursor are still there when one comes back to it. What is typed is told; a text that changes
 * from outside (files were dropped) replaces what is there as one change that can be undone.
 */
import { closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { Problem, Span } from "@/core/problem";
import { marksIn } from "./description";
import { gridAdl, gridAdlColours } from "./gridadl-mode";
import { offsetRange } from "./offset-range";
import { otherFormat } from "./other-mode";

export interface TextEditorHandle {
  /** Puts the cursor at a place of the file that is shown. */
  show(at: Span): void;
}

export function TextEditor({
  file,
  text,
  label,
  isGridAdl,
  problems,
  onChange,
  ref,
}: {
  file: string;
  text: string;
  label: string;
  isGridAdl: boolean;
  problems: readonly Problem[];
  onChange: (file: string, text: string) => void;
  ref: Ref<TextEditorHandle>;
}) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const shown = useRef<string>(undefined);
  const states = useRef(new Map<string, EditorState>());
  /** The last text of each file that came from here or went there: a different one comes from outside. */
  const known = useRef(new Map<string, string>());
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  }, [onChange]);

  useEffect(() => {
    if (!parent.current) return;
    const view = new EditorView({ parent: parent.current });
    const kept = states.current;
    editor.current = view;
    return () => {
      if (shown.current !== undefined) kept.set(shown.current, view.state);
      shown.current = undefined;
      editor.current = null;
      view.destroy();
    };
  }, []);

  useEffect(() => {
    const view = editor.current;
    if (!view) return;
    if (shown.current !== file) {
      if (shown.current !== undefined) states.current.set(shown.current, view.state);
      shown.current = file;
      const typed = (now: string) => {
        known.current.set(file, now);
        changed.current(file, now);
      };
      if (!states.current.has(file)) known.current.set(file, text);
      view.setState(states.current.get(file) ?? editorState(text, typed));
    }
    if (known.current.get(file) !== text) {
      known.current.set(file, text);
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: fromOutside.of(true),
      });
    }
  }, [file, text]);

  useEffect(() => {
    const view = editor.current;
    view?.dispatch({ effects: look.reconfigure(lookOf(file, label, isGridAdl)) });
  }, [file, label, isGridAdl]);

  useEffect(() => {
    const view = editor.current;
    if (view) view.dispatch(setDiagnostics(view.state, diagnostics(view.state, file, problems)));
  }, [file, problems]);

  useImperativeHandle(ref, () => ({
    show(at) {
      const view = editor.current;
      if (!view) return;
      const { from } = offsetRange(view.state.doc, at);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
  }));

  return <div ref={parent} className="h-full min-h-0 overflow-hidden" data-testid="workflow-text" />;
}

/** Marks a change the page made, and so knows of. */
const fromOutside = Annotation.define<true>();

/** What depends on the file and on what its text was found to be. */
const look = new Compartment();

function lookOf(file: string, label: string, isGridAdl: boolean): Extension {
  return [
    isGridAdl ? gridAdl : otherFormat,
    // It takes part in the order of Tab anyway; said aloud, tools that look at the page know it too.
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    placeholder(
      file === ""
        ? "Type or paste a workflow, or drop its files here: GRID-ADL, DAGMan, WfFormat or a GridWay job template."
        : "This file is empty.",
    ),
  ];
}

function editorState(text: string, onChange: (text: string) => void): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      drawSelection(),
      EditorView.lineWrapping,
      history(),
      bracketMatching(),
      closeBrackets(),
      lintGutter(),
      look.of([]),
      gridAdlColours,
      // Tab is left to the browser, so that the keyboard can leave the editor.
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.updateListener.of((update) => {
        const typed = !update.transactions.some((transaction) => transaction.annotation(fromOutside));
        if (update.docChanged && typed) onChange(update.state.doc.toString());
      }),
    ],
  });
}

function diagnostics(state: EditorState, file: string, problems: readonly Problem[]): Diagnostic[] {
  return marksIn(file, problems)
    .map(({ severity, message, at }) => ({ ...offsetRange(state.doc, at), severity, message }))
    .sort((a, b) => a.from - b.from);
}
