/**
 * Functions of the live version that could move to the server. Each has a button that publishes a version
 * with the function moved.
 */
import { type V1ScriptVersionsGetResponse, v1ScriptsUpdate, v1ScriptVersionsSource } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { GuardedButton } from '../../../components/guarded.tsx'
import { FormDialog } from '../../../components/overlays/dialog.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useRefusal } from '../../../lib/rights.ts'
import { text } from '../../../messages/text.ts'
import { useCall, useChange } from '../../../queries/api.ts'
import { type Script, SOURCE, useVersion, WRITE } from '../queries.ts'
import { reachText } from '../releases/reach-field.tsx'

type Suggestion = NonNullable<V1ScriptVersionsGetResponse['version']['report']['suggestions']>[number]

export function Suggestions({ script }: { readonly script: Script }) {
  const t = text.functions
  const { data } = useVersion(script.id, script.version)
  const [chosen, setChosen] = useState<string>()
  const suggestions = data?.report.suggestions ?? []
  if (suggestions.length === 0) return null
  return (
    <Panel title={t.suggestedTitle} hint={t.suggestedIntro}>
      <ul className="rows" aria-label={t.suggestedTitle}>
        {suggestions.map((one) => (
          <Line key={one.name} one={one} onMove={() => setChosen(one.name)} />
        ))}
      </ul>
      {chosen !== undefined && <Move script={script} name={chosen} onClose={() => setChosen(undefined)} />}
    </Panel>
  )
}

function Line({ one, onMove }: { readonly one: Suggestion; readonly onMove: () => void }) {
  const t = text.functions
  const mayRead = useRefusal(SOURCE)
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <code>{one.name}</code>
          {one.obstacle !== null && <Badge tone="plain">{t.notAdvised}</Badge>}
        </div>
        <div className="facts">
          <span>{one.place}</span>
          <span>{t.hides(one.constants, one.lines)}</span>
          <span>{t.callSites(one.callSites)}</span>
          {one.testCalls !== null && <span>{t.testCalls(one.testCalls)}</span>}
        </div>
        {one.obstacle !== null && <p className="hint">{t.obstacle(one.obstacle)}</p>}
      </div>
      <div className="actions">
        <GuardedButton
          needs={WRITE}
          reason={mayRead}
          aria-label={text.itsName(t.move, one.name)}
          onClick={onMove}
        >
          {t.move}
        </GuardedButton>
      </div>
    </li>
  )
}

type MoveProps = { readonly script: Script; readonly name: string; readonly onClose: () => void }

/** Publishes the live source again, with one more function in the `server` option. */
function Move({ script, name, onClose }: MoveProps) {
  const t = text.functions
  const call = useCall()
  const showToast = useToast()
  const publish = useChange(async () => {
    const path = { script_id: script.id, n: script.version }
    const { source, script_path, files } = (await v1ScriptVersionsSource({ ...call, path })).data
    const tree = script_path === null ? {} : { script_path, files: files ?? {} }
    const server = [script.options.server, name].filter(Boolean).join(',')
    const body = { script: source, ...tree, options: { ...script.options, server } }
    const { data } = await v1ScriptsUpdate({ ...call, path: { script_id: script.id }, body })
    const { version, release } = data
    showToast({ title: release ? reachText(version, release.percent) : t.movedToast(name) })
    onClose()
  })
  return (
    <FormDialog
      title={t.moveTitle(name)}
      submit={t.moveSubmit}
      isPending={publish.isPending}
      error={publish.error}
      onClose={onClose}
      onSubmit={() => publish.mutate(undefined)}
    >
      <p>{t.moveWords(script.version)}</p>
    </FormDialog>
  )
}
