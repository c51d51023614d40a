/** The editor, loaded on demand by `code-editor.tsx`. */
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import styles from '../code-editor.module.css'
import type { CodeEditorProps, Marker } from './props.ts'
import { rootOf, setupOf } from './setup.ts'

export function Editor({ label, value, onChange, markers = [], shown, isWrapped = false }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const change = useRef(onChange)
  const first = useRef(value)
  change.current = onChange
  const isReadOnly = onChange === undefined
  useEffect(() => {
    if (host.current === null) return
    const made = makeEditor({
      host: host.current,
      label,
      value: first.current,
      isReadOnly,
      isWrapped,
      change,
    })
    view.current = made
    return () => {
      first.current = made.state.doc.toString()
      made.destroy()
    }
  }, [label, isReadOnly, isWrapped])
  useEffect(() => replaceText(view.current, value), [value])
  useEffect(() => {
    const { current } = view
    current?.dispatch(setDiagnostics(current.state, diagnosticsIn(current.state.doc, markers)))
  }, [markers])
  useEffect(() => show(view.current, shown), [shown])
  return <div ref={host} className={styles.host} />
}

type Made = {
  readonly host: HTMLElement
  readonly label: string
  readonly value: string
  readonly isReadOnly: boolean
  readonly isWrapped: boolean
  readonly change: { readonly current: CodeEditorProps['onChange'] }
}

function makeEditor({ host, label, value, isReadOnly, isWrapped, change }: Made): EditorView {
  const root = rootOf(host)
  const told = EditorView.updateListener.of((update) => {
    if (update.docChanged) change.current?.(update.state.doc.toString())
  })
  const extensions = [
    ...setupOf({ label, isReadOnly }),
    lintGutter(),
    told,
    isWrapped ? EditorView.lineWrapping : [],
  ]
  return new EditorView({ state: EditorState.create({ doc: value, extensions }), parent: root, root })
}

/**
 * Replaces the content when it changes from outside, as for a dropped file; typed text is already in the
 * editor.
 */
function replaceText(view: EditorView | null, value: string): void {
  if (view === null || view.state.doc.toString() === value) return
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } })
}

function show(view: EditorView | null, marker: Marker | undefined): void {
  if (view === null || marker === undefined) return
  const at = placeOf(view.state.doc, marker)
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
  view.focus()
}

function diagnosticsIn(doc: Text, markers: readonly Marker[]): Diagnostic[] {
  return markers.map((marker) => {
    const from = placeOf(doc, marker)
    const to = Math.min(from + 1, doc.lineAt(from).to)
    return { from, to, severity: 'error', message: marker.message }
  })
}

/** Converts a position: the API counts characters, but the editor counts UTF-16 code units. */
function placeOf(doc: Text, { line, column }: Marker): number {
  const found = doc.line(Math.max(1, Math.min(line, doc.lines)))
  const before = [...found.text].slice(0, column - 1).join('')
  return found.from + before.length
}
