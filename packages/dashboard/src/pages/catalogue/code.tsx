/** Code and secrets to read, write and copy. */
import { useState } from 'react'
import { CodeDiff } from '../../parts/code-diff.tsx'
import { CodeEditor, MOST_TO_EDIT } from '../../parts/code-editor.tsx'
import { Loaders } from '../../parts/loaders.tsx'
import { Secret } from '../../parts/secret.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { VisitorPage } from '../../parts/visitor-page.tsx'
import { text } from '../../text/text.ts'
import { CODE, KEY, LONG, SENTENCE, SHORT } from './samples.ts'
import { Part, State } from './specimen.tsx'

const t = text.catalogue
const PAGE = `<html lang="en"><title>${SHORT}</title><main><h1>${SHORT}</h1><p>${SENTENCE}</p></main>`
const TOO_LONG = 'x'.repeat(MOST_TO_EDIT + 1)

export function Code() {
  const [code, setCode] = useState(CODE)
  return (
    <>
      <Part name="snippet">
        <State of="full">
          <Snippet code={CODE} label={t.title} />
        </State>
        <State of="long">
          <Snippet code={LONG} label={text.key} />
        </State>
      </Part>
      <Part name="loaders">
        <State of="full">
          <Loaders script={{ id: 'scr_sample', name: SHORT }} userKey={KEY} />
        </State>
      </Part>
      <Part name="secret">
        <State of="full">
          <Secret value={KEY} />
        </State>
        <State of="long">
          <Secret value={KEY.repeat(6)} />
        </State>
      </Part>
      <Part name="code-editor">
        <State of="full">
          <CodeEditor
            label={t.title}
            value={code}
            onChange={setCode}
            markers={[{ line: 2, column: 1, message: t.wrong }]}
          />
        </State>
        <State of="long">
          <CodeEditor label={text.note} value={TOO_LONG} />
        </State>
      </Part>
      <Part name="code-diff">
        <State of="full">
          <CodeDiff label={t.title} before={CODE} after={CODE.replace('HUB', 'NEW')} />
        </State>
        <State of="empty">
          <CodeDiff label={text.note} before={CODE} after={CODE} />
        </State>
      </Part>
      <Part name="visitor-page">
        <State of="full">
          <VisitorPage title={t.title} html={PAGE} />
        </State>
        <State of="empty">
          <VisitorPage title={text.note} html={undefined} />
        </State>
      </Part>
    </>
  )
}
