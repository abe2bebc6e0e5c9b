"use client";
/** The workflow's text in CodeMirror, with problems marked at their place. The text lives in CodeMirror; we hear of changes. */
import { closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
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
import { gridAdl, gridAdlColours } from "./gridadl-mode";
import { offsetRange } from "./offset-range";

export interface TextEditorHandle {
  /** Puts the cursor at a place. */
  show(at: Span): void;
  /** Replaces the whole text as one change that can be undone. */
  replace(text: string): void;
}

export function TextEditor({
  initial,
  problems,
  onChange,
  ref,
}: {
  initial: string;
  problems: readonly Problem[];
  onChange: (text: string) => void;
  ref: Ref<TextEditorHandle>;
}) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const changed = useRef(onChange);
  const first = useRef(initial);
  useEffect(() => {
    changed.current = onChange;
  }, [onChange]);

  useEffect(() => {
    if (!parent.current) return;
    const view = new EditorView({
      parent: parent.current,
      state: editorState(first.current, (text) => changed.current(text)),
    });
    editor.current = view;
    return () => {
      first.current = view.state.doc.toString();
      editor.current = null;
      view.destroy();
    };
  }, []);

  useEffect(() => {
    const view = editor.current;
    if (view) view.dispatch(setDiagnostics(view.state, diagnostics(view.state, problems)));
  }, [problems]);

  useImperativeHandle(ref, () => ({
    show(at) {
      const view = editor.current;
      if (!view) return;
      const { from } = offsetRange(view.state.doc, at);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    replace(text) {
      const view = editor.current;
      if (view) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
  }));

  return <div ref={parent} className="h-full min-h-0 overflow-hidden" data-testid="workflow-text" />;
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
      gridAdl,
      gridAdlColours,
      placeholder("Type or paste GRID-ADL, or drop a workflow file with its input files here."),
      // Tab is left to the browser, so that the keyboard can leave the editor.
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.contentAttributes.of({ "aria-label": "Workflow text, GRID-ADL" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ],
  });
}

function diagnostics(state: EditorState, problems: readonly Problem[]): Diagnostic[] {
  return problems
    .flatMap((problem) =>
      problem.at
        ? [{ ...offsetRange(state.doc, problem.at), severity: problem.severity, message: problem.message }]
        : [],
    )
    .sort((a, b) => a.from - b.from);
}
