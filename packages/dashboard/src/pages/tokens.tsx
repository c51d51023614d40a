/** Tokens of the account: what software may do in it. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { access, type Token } from '../access-api.ts'
import { useCall, useChange } from '../api.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { GuardedButton } from '../parts/guarded.tsx'
import { OverlapField } from '../parts/overlap-field.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { text } from '../text.ts'
import { exactly, when } from '../when.ts'
import { EditTokenDialog, NewTokenDialog } from './token-form.tsx'
import { MadeDialog } from './token-made.tsx'
import { Waiting } from './trouble.tsx'

export function TokensPage() {
  const call = useCall()
  const [isAdding, setIsAdding] = useState(false)
  const list = useInfiniteQuery({
    queryKey: ['tokens'],
    queryFn: ({ pageParam }) => access.tokens(call, pageParam === '' ? {} : { after: pageParam }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const tokens = list.data?.pages.flatMap((page) => page.tokens) ?? []
  const add = (
    <GuardedButton needs="tokens:write" className="main" onClick={() => setIsAdding(true)}>
      {text.newToken}
    </GuardedButton>
  )
  return (
    <>
      <PageTitle title={text.tokensTitle} intro={text.tokensIntro}>
        {tokens.length > 0 && add}
      </PageTitle>
      <Waiting asked={list}>
        {tokens.length === 0 ? (
          <Empty title={text.noTokens} hint={text.noTokensHint}>
            {add}
          </Empty>
        ) : (
          <ul className="rows">
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} />
            ))}
          </ul>
        )}
        {list.hasNextPage && (
          <div className="bar">
            <button type="button" onClick={() => list.fetchNextPage()}>
              {text.more}
            </button>
          </div>
        )}
      </Waiting>
      {isAdding && <NewTokenDialog onClose={() => setIsAdding(false)} />}
    </>
  )
}

function TokenRow({ token }: { token: Token }) {
  const [open, setOpen] = useState<'edit' | 'rotate' | 'revoke' | null>(null)
  const close = () => setOpen(null)
  return (
    <li>
      <div className="main-text">
        <span className="name">
          <strong>{token.name}</strong>
          <code className="hint">{token.start}…</code>
          {isPast(token.expires_at) && <span className="badge bad">{text.expired}</span>}
          {isAhead(token.previous_until) && (
            <span className="badge warn">{text.rotating(exactly(token.previous_until))}</span>
          )}
        </span>
        <span className="facts">
          <span title={token.scopes.join(', ')}>{text.chosenRights(token.scopes.length)}</span>
          <span>{token.projects === null ? text.allProjects : text.projectCount(token.projects.length)}</span>
          <span>{token.networks?.join(', ') ?? text.anyNetwork}</span>
          <span>
            {text.expires} {token.expires_at === null ? text.never : when(token.expires_at)}
          </span>
          <span>
            {token.last_used_at === null
              ? text.neverUsed
              : `${text.lastUsed(when(token.last_used_at))} (${token.last_used_network})`}
          </span>
        </span>
      </div>
      <div className="actions">
        <GuardedButton needs="tokens:write" onClick={() => setOpen('edit')}>
          {text.edit}
        </GuardedButton>
        <GuardedButton needs="tokens:write" onClick={() => setOpen('rotate')}>
          {text.rotate}
        </GuardedButton>
        <GuardedButton needs="tokens:write" className="danger" onClick={() => setOpen('revoke')}>
          {text.revoke}
        </GuardedButton>
      </div>
      {open === 'edit' && <EditTokenDialog token={token} onClose={close} />}
      {open === 'rotate' && <RotateDialog token={token} onClose={close} />}
      {open === 'revoke' && <RevokeDialog token={token} onClose={close} />}
    </li>
  )
}

function RotateDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const call = useCall()
  const [overlap, setOverlap] = useState(3_600_000)
  const rotate = useChange(() => access.rotateToken(call, token.id, overlap))
  if (rotate.data) return <MadeDialog title={text.tokenRotated} made={rotate.data} onClose={onClose} />
  return (
    <FormDialog
      title={text.rotateTitle(token.name)}
      submit={text.rotate}
      isPending={rotate.isPending}
      error={rotate.error}
      onClose={onClose}
      onSubmit={() => rotate.mutate(undefined)}
    >
      <p>{text.rotateText}</p>
      <OverlapField value={overlap} onChange={setOverlap} />
    </FormDialog>
  )
}

function RevokeDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const call = useCall()
  const revoke = useChange(() => access.revokeToken(call, token.id))
  return (
    <FormDialog
      title={text.revokeTitle(token.name)}
      submit={text.revoke}
      isDanger
      isPending={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onSubmit={() => revoke.mutate(undefined, { onSuccess: onClose })}
    >
      <p>{text.revokeText}</p>
    </FormDialog>
  )
}

function isPast(time: number | null): boolean {
  return time !== null && time <= Date.now()
}

function isAhead(time: number | null): time is number {
  return time !== null && time > Date.now()
}
