/** What comes over the page. The address says which one is open. */
import { useState } from 'react'
import { useFilters } from '../../address.ts'
import { ConfirmDialog, Dialog, FormDialog } from '../../parts/dialog.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Field } from '../../parts/field.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { ProjectChoice } from '../../parts/project-choice.tsx'
import { ProveDialog } from '../../parts/prove-dialog.tsx'
import { ScopeChoice } from '../../parts/scope-choice.tsx'
import { SessionMessage } from '../../parts/session-message.tsx'
import { useSay } from '../../parts/toasts.tsx'
import { text } from '../../text/text.ts'
import { ARABIC, FAILURE, LONG, SHORT } from './samples.ts'
import { Part, State } from './specimen.tsx'

const t = text.catalogue
const none = () => {}

type Close = { readonly onClose: () => void }

const DIALOGS: Readonly<Record<string, (given: Close) => React.ReactNode>> = {
  dialog: ({ onClose }) => (
    <Dialog title={LONG} onClose={onClose}>
      <p>{ARABIC}</p>
    </Dialog>
  ),
  drawer: ({ onClose }) => (
    <Drawer title={SHORT} onClose={onClose}>
      <p>{LONG}</p>
      <div className="bar">
        <Menu label={t.say} button={t.say}>
          <MenuItem onClick={onClose}>{text.frame.close}</MenuItem>
        </Menu>
      </div>
    </Drawer>
  ),
  form: ({ onClose }) => (
    <FormDialog
      title={SHORT}
      submit={text.retry}
      isPending={false}
      error={FAILURE}
      onClose={onClose}
      onSubmit={none}
    >
      <Field label={text.name} error={t.wrong} />
    </FormDialog>
  ),
  confirm: ({ onClose }) => (
    <ConfirmDialog
      title={SHORT}
      words={LONG}
      submit={text.remove}
      onConfirm={async () => {}}
      onClose={onClose}
    />
  ),
  prove: ({ onClose }) => <ProveDialog onAnswer={onClose} />,
  message: ({ onClose }) => <SessionMessage title={SHORT} send={async () => ANSWERS} onClose={onClose} />,
}

const ANSWERS = [
  { session_id: 'ses_1', processed: true, response: LONG },
  { session_id: 'ses_2', processed: false, reason: 'timeout' },
]

export function Overlays() {
  const [{ open }, change] = useFilters()
  const say = useSay()
  const Open = open === undefined ? undefined : DIALOGS[open]
  return (
    <>
      <Part name="dialog">
        <State of="full">
          <div className="bar">
            {Object.keys(DIALOGS).map((name) => (
              <button key={name} type="button" onClick={() => change({ open: name })}>
                <code>{name}</code>
              </button>
            ))}
          </div>
        </State>
      </Part>
      <Part name="toasts">
        <State of="full">
          <div className="bar">
            <button type="button" onClick={() => say({ title: LONG, undo: none })}>
              {t.say}
            </button>
          </div>
        </State>
      </Part>
      <Rights />
      {Open && <Open onClose={() => change({ open: undefined })} />}
    </>
  )
}

function Rights() {
  const [scopes, setScopes] = useState<readonly string[]>(['users:write'])
  const [projects, setProjects] = useState<readonly string[] | null>([])
  return (
    <>
      <Part name="scope-choice" isWide>
        <State of="full">
          <ScopeChoice chosen={scopes} onChange={setScopes} />
        </State>
        <State of="failing">
          <ScopeChoice chosen={[]} onChange={none} error={t.wrong} />
        </State>
      </Part>
      <Part name="project-choice">
        <State of="full">
          <ProjectChoice chosen={projects} onChange={setProjects} />
        </State>
        <State of="failing">
          <ProjectChoice chosen={null} onChange={none} error={t.wrong} />
        </State>
      </Part>
    </>
  )
}
