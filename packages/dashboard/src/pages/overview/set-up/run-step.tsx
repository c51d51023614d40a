/** The third step: how to run the script with the key, and what came of it. */
import { v1ScriptsLoaderFile } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { addressOf } from '../../../address.ts'
import { useCall } from '../../../api.ts'
import { type Denial, remediesOf } from '../../../denials.ts'
import { Complaint } from '../../../parts/complaint.tsx'
import { Snippet } from '../../../parts/snippet.tsx'
import { Tabs } from '../../../parts/tabs.tsx'
import { useProject } from '../../../projects.ts'
import { saveText } from '../../../save-text.ts'
import { text } from '../../../text/text.ts'
import { useFirstRun } from './first-run.ts'
import styles from './set-up.module.css'

type Script = { readonly id: string; readonly name: string }
type Given = { readonly script: Script; readonly userKey: string; readonly onEnd: () => void }

export function RunStep({ script, userKey, onEnd }: Given) {
  const { id } = useProject()
  const { arrived, denial } = useFirstRun(id, userKey)
  return (
    <>
      {!arrived && <HowToRun script={script} userKey={userKey} />}
      {!arrived && denial && <Denied denial={denial} />}
      {arrived ? <Arrived executor={arrived.executor} onEnd={onEnd} /> : <StillWaiting />}
    </>
  )
}

function HowToRun({ script, userKey }: Omit<Given, 'onEnd'>) {
  const t = text.overview.setUp
  const loader = `${location.origin}/client/v1/loader/${script.id}`
  const line = `script_key = "${userKey}"`
  const shell = (command: string, runtime: string) =>
    `curl -s "${loader}?rt=${runtime}" -o loader.lua\nSCRIPT_KEY="${userKey}" ${command} loader.lua`
  const codes = [
    ['executor', t.executor, `${line}\nloadstring(game:HttpGet("${loader}"))()`],
    ['lua', t.lua, shell('lua5.1', '51')],
    ['luajit', t.luajit, shell('luajit', 'jit')],
  ] as const
  const tabs = codes.map(([id, title, code]) => ({
    id,
    title,
    content: <Snippet code={code} label={title} />,
  }))
  const file = { id: 'file', title: t.file, content: <LoaderFile script={script} line={line} /> }
  return <Tabs label={t.loader} tabs={[...tabs, file]} />
}

function LoaderFile({ script, line }: { script: Script; line: string }) {
  const t = text.overview.setUp
  const call = useCall()
  const save = useMutation({
    mutationFn: async () => {
      const { data } = await v1ScriptsLoaderFile({ ...call, path: { script_id: script.id } })
      saveText(`${script.name}.loader.lua`, data)
    },
  })
  return (
    <>
      <p className="hint">{t.fileHint}</p>
      <Snippet code={line} label={t.file} />
      <div className="bar">
        <button type="button" disabled={save.isPending} onClick={() => save.mutate()}>
          {t.saveFile}
        </button>
        <Complaint of={save.error} />
      </div>
    </>
  )
}

function StillWaiting() {
  return (
    <p className={styles.waiting} role="status">
      <i aria-hidden="true" />
      {text.overview.setUp.waiting}
    </p>
  )
}

function Denied({ denial }: { denial: Denial }) {
  const t = text.overview.setUp
  const { id } = useProject()
  const { title, happened, todo } = text.denials.reasons[denial.reason]
  return (
    <div className="notice warn" role="alert">
      <div className="stack tight">
        <strong>{t.deniedTitle(title)}</strong>
        <p>
          {happened} {todo}
        </p>
        <p className="hint">{t.stillWaiting}</p>
      </div>
      <div className="bar">
        {remediesOf(id, denial).map(({ title: name, href }) => (
          <a key={href} className="button" href={href}>
            {name}
          </a>
        ))}
        <a className="button" href={addressOf.project(id, 'denials')}>
          {t.seeDenials}
        </a>
      </div>
    </div>
  )
}

function Arrived({ executor, onEnd }: { executor: string | null; onEnd: () => void }) {
  const t = text.overview.setUp
  const { id } = useProject()
  return (
    <div className="notice good" role="status">
      <div className="stack tight">
        <strong>{t.arrived}</strong>
        <p>
          {executor !== null && `${t.arrivedOn(executor)} `}
          {t.arrivedHint}
        </p>
      </div>
      <div className="bar">
        <a className="button" href={addressOf.project(id, 'users')}>
          {t.moreKeys}
        </a>
        <button type="button" className="main" onClick={onEnd}>
          {t.toOverview}
        </button>
      </div>
    </div>
  )
}
