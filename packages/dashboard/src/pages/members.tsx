/** People of the account: who they are, what they may do, and who is invited. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { access, type Invitation, type Member } from '../access-api.ts'
import { useCall, useChange } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { GuardedButton } from '../parts/guarded.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { useMe } from '../rights.ts'
import { text } from '../text.ts'
import { when } from '../when.ts'
import { EditMemberDialog, InviteDialog } from './member-form.tsx'
import { Waiting } from './trouble.tsx'

export function MembersPage() {
  const call = useCall()
  const [isInviting, setIsInviting] = useState(false)
  const list = useQuery({ queryKey: ['members'], queryFn: () => access.members(call) })
  const { members = [], invitations = [] } = list.data ?? {}
  return (
    <>
      <PageTitle title={text.membersTitle} intro={text.membersIntro}>
        <GuardedButton needs="members:write" className="main" onClick={() => setIsInviting(true)}>
          {text.invite}
        </GuardedButton>
      </PageTitle>
      <Waiting asked={list}>
        <ul className="rows">
          {members.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </ul>
        {members.length < 2 && invitations.length === 0 && (
          <Empty title={text.aloneTitle} hint={text.aloneHint} />
        )}
        {invitations.length > 0 && (
          <section className="stack tight">
            <h2>{text.invitations}</h2>
            <ul className="rows">
              {invitations.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} />
              ))}
            </ul>
          </section>
        )}
      </Waiting>
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </>
  )
}

function MemberRow({ member }: { member: Member }) {
  const me = useMe()
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null)
  const isMe = member.person.id === me.person?.id
  const reason = member.role === 'owner' && me.role !== 'owner' ? text.ownerOnly : undefined
  const name = member.person.name || member.person.email
  return (
    <li>
      <div className="main-text">
        <span className="name">
          <strong>{name}</strong>
          {isMe && <span className="badge plain">{text.you}</span>}
          <span className="badge plain">{text.roleNames[member.role] ?? member.role}</span>
          {!member.has_second_factor && <span className="badge warn">{text.hasNoFactor}</span>}
        </span>
        <span className="facts">
          <span>{member.person.email}</span>
          <Limits of={member} />
          <span>
            {member.last_sign_in_at === null ? text.noSignIn : text.lastSignIn(when(member.last_sign_in_at))}
          </span>
        </span>
      </div>
      <div className="actions">
        <GuardedButton needs="members:write" reason={reason} onClick={() => setOpen('edit')}>
          {text.edit}
        </GuardedButton>
        <GuardedButton
          needs="members:write"
          reason={reason}
          className="danger"
          onClick={() => setOpen('remove')}
        >
          {text.remove}
        </GuardedButton>
      </div>
      {open === 'edit' && <EditMemberDialog member={member} onClose={() => setOpen(null)} />}
      {open === 'remove' && <RemoveDialog member={member} name={name} onClose={() => setOpen(null)} />}
    </li>
  )
}

function Limits({ of: { role, scopes, projects, max_keys } }: { of: Member | Invitation }) {
  return (
    <>
      {role === 'custom' && <span title={scopes.join(', ')}>{text.chosenRights(scopes.length)}</span>}
      <span>{projects === null ? text.allProjects : text.projectCount(projects.length)}</span>
      {max_keys !== null && (
        <span>
          {text.maxKeys}: {max_keys}
        </span>
      )}
    </>
  )
}

function RemoveDialog({ member, name, onClose }: { member: Member; name: string; onClose: () => void }) {
  const call = useCall()
  const remove = useChange(() => access.removeMember(call, member.id))
  return (
    <FormDialog
      title={text.removeMemberTitle(name)}
      submit={text.remove}
      isDanger
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate(undefined, { onSuccess: onClose })}
    >
      <p>{text.removeMemberText}</p>
    </FormDialog>
  )
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const call = useCall()
  const withdraw = useChange(() => access.withdraw(call, invitation.id))
  return (
    <li>
      <div className="main-text">
        <span className="name">
          <strong>{invitation.email}</strong>
          <span className="badge plain">{text.roleNames[invitation.role] ?? invitation.role}</span>
        </span>
        <span className="facts">
          <Limits of={invitation} />
          {invitation.invited_by !== null && <span>{text.invitedBy(invitation.invited_by)}</span>}
          <span>{text.until(when(invitation.expires_at))}</span>
        </span>
      </div>
      <GuardedButton
        needs="members:write"
        disabled={withdraw.isPending}
        onClick={() => withdraw.mutate(undefined)}
      >
        {text.withdraw}
      </GuardedButton>
      <Complaint of={withdraw.error} />
    </li>
  )
}
