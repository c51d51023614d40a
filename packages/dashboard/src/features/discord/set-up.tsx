/** The three steps from a new Discord application to a connected bot. */
import type { ReactNode } from 'react'
import { GuardedButton } from '../../components/guarded.tsx'
import { Panel } from '../../components/panel.tsx'
import { text } from '../../messages/text.ts'
import styles from './discord.module.css'
import { WRITE } from './queries.ts'

const t = text.discord
const PORTAL = 'https://discord.com/developers/applications'

type Props = { readonly isOff: boolean; readonly onConnect: () => void }

export function SetUp({ isOff, onConnect }: Props) {
  return (
    <Panel title={t.connectTitle} hint={t.connectHint}>
      <ol className={styles.steps}>
        <Step title={t.createTitle} hint={t.createHint}>
          <a className="button" href={PORTAL} target="_blank" rel="noreferrer">
            {t.portal}
          </a>
        </Step>
        <Step title={t.copyTitle} hint={t.copyHint} />
        <Step title={t.pasteTitle} hint={t.pasteHint}>
          <GuardedButton
            needs={WRITE}
            reason={isOff ? t.unavailable.turned_off : undefined}
            className="main"
            onClick={onConnect}
          >
            {t.connect}
          </GuardedButton>
        </Step>
      </ol>
    </Panel>
  )
}

type StepProps = { readonly title: string; readonly hint: string; readonly children?: ReactNode }

function Step({ title, hint, children }: StepProps) {
  return (
    <li>
      <h3>{title}</h3>
      <p className="hint">{hint}</p>
      {children}
    </li>
  )
}
