/** A project's Discord bot: its setup, its state, its staff, and customers' roles. */
import { useState } from 'react'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useDiscord, WRITE } from './queries.ts'
import { Roles } from './roles.tsx'
import { SetUp } from './set-up.tsx'
import { StaffPanel } from './staff.tsx'
import { Status } from './status.tsx'
import { TokenDialog } from './token-dialog.tsx'

const t = text.discord

export function DiscordPage() {
  const query = useDiscord()
  const [isAsked, setIsAsked] = useState(false)
  useDialogParam({ token: WRITE }, () => setIsAsked(true))
  const { discord: bot, unavailable } = query.data ?? {}
  const ask = () => setIsAsked(true)
  return (
    <>
      <PageTitle title={text.frame.discord} intro={t.intro} />
      {unavailable && <p className="notice warn">{t.unavailable[unavailable]}</p>}
      <QueryBoundary query={query}>
        {bot ? (
          <>
            <Status bot={bot} onReplace={ask} />
            <StaffPanel key={bot.application_id} bot={bot} />
            <Roles bot={bot} />
          </>
        ) : (
          <SetUp isOff={unavailable === 'turned_off'} onConnect={ask} />
        )}
      </QueryBoundary>
      {isAsked && <TokenDialog isNew={!bot} onClose={() => setIsAsked(false)} />}
    </>
  )
}
