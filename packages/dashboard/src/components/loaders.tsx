/** Shows how to run a script with a key on each kind of host, and offers the standalone loader. */
import { v1ScriptsLoaderFile } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { saveText } from '../lib/save-text.ts'
import { isHere, keyLine, type Runtime, snippetsOf } from '../lib/snippets.ts'
import { text } from '../messages/text.ts'
import { useCall } from '../queries/api.ts'
import { Snippet } from './code/snippet.tsx'
import { ErrorMessage } from './error-message.tsx'
import { SelectField } from './fields/select-field.tsx'
import { GuardedButton } from './guarded.tsx'
import { Tabs } from './tabs.tsx'

type Props = {
  readonly script: { readonly id: string; readonly name: string }
  readonly userKey: string
}

export function Loaders({ script, userKey }: Props) {
  const t = text.loaders
  const code = snippetsOf(script.id, userKey)
  const tabs = (['executor', 'lua', 'luajit'] as const).map((id) => ({
    id,
    title: t[id],
    content: <Snippet code={code[id]} label={t[id]} />,
  }))
  const file = { id: 'file', title: t.file, content: <LoaderFile script={script} userKey={userKey} /> }
  return (
    <>
      <OnlyHere />
      <Tabs label={t.label} tabs={[...tabs, file]} />
    </>
  )
}

/** Warns that the URLs in the adjacent code work only on this machine. */
export function OnlyHere() {
  if (!isHere()) return null
  return <p className="notice warn">{text.loaders.onlyHere(location.origin)}</p>
}

const RUNTIMES: readonly (readonly [Runtime, string])[] = [
  ['any', text.loaders.anyRuntime],
  ['luau', 'Luau'],
  ['jit', 'LuaJIT'],
  ['51', 'Lua 5.1'],
  ['54', 'Lua 5.4'],
]

function LoaderFile({ script, userKey }: Props) {
  const t = text.loaders
  const call = useCall()
  const [runtime, setRuntime] = useState<Runtime>('any')
  const save = useMutation({
    mutationFn: async () => {
      const query = runtime === 'any' ? {} : { rt: runtime }
      const { data } = await v1ScriptsLoaderFile({ ...call, path: { script_id: script.id }, query })
      saveText(`${script.name}.loader.lua`, data)
    },
  })
  return (
    <>
      <p className="hint">{t.fileHint}</p>
      <Snippet code={keyLine(userKey)} label={t.file} />
      <div className="row">
        <SelectField
          label={t.runtime}
          value={runtime}
          options={RUNTIMES}
          onChange={(event) => setRuntime(event.target.value as Runtime)}
        />
        <GuardedButton needs="scripts:read" disabled={save.isPending} onClick={() => save.mutate()}>
          {t.saveFile}
        </GuardedButton>
      </div>
      <ErrorMessage of={save.error} />
    </>
  )
}
