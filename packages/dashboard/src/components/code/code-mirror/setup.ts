/** Setup shared by the editor and the diff: Lua, token colors and translations. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import {
  bracketMatching,
  HighlightStyle,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language'
import { lua } from '@codemirror/legacy-modes/mode/lua'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { text } from '../../../messages/text.ts'

const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.atom, tags.bool], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
])

const LOOK = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--page)',
    font: 'var(--mono)',
    minHeight: 'inherit',
    maxHeight: 'inherit',
  },
  '&.cm-focused': { outline: 'none' },
  // The editor adds its own focus class with a delay.
  '&:has(.cm-content:focus)': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { font: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--panel)',
    color: 'var(--soft)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '8px 32px 8px 8px', fontSize: '0.8125rem' },
  '.cm-panel.cm-search label': { fontSize: 'inherit' },
  '.cm-panel.cm-search [name=close]': { fontSize: '1.25rem', minWidth: '24px', minHeight: '24px' },
  '.cm-textfield': {
    color: 'inherit',
    backgroundColor: 'var(--page)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
    padding: '2px 6px',
  },
  '.cm-button': {
    color: 'inherit',
    backgroundColor: 'var(--raised)',
    backgroundImage: 'none',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
    padding: '2px 8px',
  },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--bad)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--good-soft) !important' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--bad-soft) !important' },
  '.cm-changedText': { background: 'none !important', borderBottom: '2px solid var(--good)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none !important',
    borderBottom: '2px solid var(--bad)',
  },
  '.cm-collapsedLines': {
    color: 'var(--soft)',
    background: 'var(--grey-soft)',
    padding: '4px 8px',
  },
})

/** Tab is not bound, so that it moves the focus out of the editor, as in any other field. */
export function setupOf({ label, isReadOnly }: { label: string; isReadOnly: boolean }): Extension[] {
  return [
    lineNumbers(),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    search({ top: true }),
    StreamLanguage.define(lua),
    syntaxHighlighting(COLORS),
    indentUnit.of('  '),
    LOOK,
    EditorState.phrases.of(phrases()),
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    ...(isReadOnly ? [] : [history()]),
    keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
  ]
}

/**
 * Uses a shadow root, because the editor would otherwise need style tags, which the content security
 * policy forbids.
 */
export function rootOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' })
}

function phrases(): Record<string, string> {
  const words = text.scripts.editor
  return {
    Find: words.find,
    Replace: words.replace,
    next: words.next,
    previous: words.previous,
    all: words.all,
    'match case': words.matchCase,
    regexp: words.regexp,
    'by word': words.byWord,
    replace: words.replaceOne,
    'replace all': words.replaceAll,
    close: words.close,
    'Go to line': words.goToLine,
    go: words.go,
    '$ unchanged lines': words.unchanged,
  }
}
