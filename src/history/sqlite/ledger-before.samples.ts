/**
 * A ledger as the toolgate before plain SQL wrote it (its queries were kysely's), dumped by SQLite itself: two sessions, a
 * lease that is held, a question that is open, a snapshot and a blob. Not to be changed: such files are out there.
 */
export const LEDGER_BEFORE = `
CREATE TABLE sessions (
     number integer primary key autoincrement,
     session_id text not null unique,
     created_at real not null,
     updated_at real not null,
     last_seq integer not null
   , chain text) strict;
CREATE TABLE events (
     session integer not null references sessions on delete cascade,
     seq integer not null,
     event text not null, chain text,
     primary key (session, seq)
   ) strict;
CREATE TABLE leases (
     fence integer primary key autoincrement,
     session_id text not null unique,
     owner text not null,
     expires_at real not null
   , milliseconds real) strict;
CREATE TABLE questions (
     number integer primary key,
     question_id text not null unique,
     session integer not null references sessions on delete cascade,
     asked_seq integer not null,
     settled_seq integer
   ) strict;
CREATE INDEX questions_by_session on questions (session);
CREATE INDEX open_questions on questions (number) where settled_seq is null;
CREATE TABLE blobs (hash text primary key, bytes blob not null, put_at real) strict;
CREATE TABLE snapshots (
     session integer primary key references sessions on delete cascade,
     seq integer not null,
     saved text not null,
     seal text not null
   ) strict;
insert into sessions (number, session_id, created_at, updated_at, last_seq, chain) values (1, 's1', 1700000000000, 1700000000000, 3, 'ad5e59065934db0c6acf9d65cea3081c5a78a015428c0240d915a0a60b229272');
insert into sessions (number, session_id, created_at, updated_at, last_seq, chain) values (2, 's2', 1700000000000, 1700000000000, 1, '78ad7a707932ef7428c7dc68e59ca91a57457a3cf991fd8cbc4b68b8575891a9');
insert into events (session, seq, event, chain) values (1, 1, '{"type":"message-chunk","at":1700000000000,"messageId":"m1","role":"agent","block":{"type":"text","text":"one"}}', 'ba4744974551e5091311fc94534de31595045a13fc81f8939389e0bfcadeba41');
insert into events (session, seq, event, chain) values (1, 2, '{"type":"message-chunk","at":1700000000000,"messageId":"m1","role":"agent","block":{"type":"text","text":"two"}}', 'f325d5e69d6170468eebda4f80ada916d636624db9f51c767a3f0f10adcaddb5');
insert into events (session, seq, event, chain) values (1, 3, '{"type":"question-asked","at":1700000000000,"question":{"questionId":"q1","sessionId":"s1","toolCallId":"c1","title":"May it?","options":[{"optionId":"yes","kind":"allow_once","name":"Yes"}],"askedAt":1700000000000,"intent":{}}}', 'ad5e59065934db0c6acf9d65cea3081c5a78a015428c0240d915a0a60b229272');
insert into events (session, seq, event, chain) values (2, 1, '{"type":"message-chunk","at":1700000000000,"messageId":"m1","role":"agent","block":{"type":"text","text":"three"}}', '78ad7a707932ef7428c7dc68e59ca91a57457a3cf991fd8cbc4b68b8575891a9');
insert into leases (fence, session_id, owner, expires_at, milliseconds) values (1, 's1', 'ann', 1700000060000, 60000);
insert into questions (number, question_id, session, asked_seq, settled_seq) values (1, 'q1', 1, 3, null);
insert into snapshots (session, seq, saved, seal) values (1, 2, '{"version":0}', '49f9d224ffff86029981e7a6b5af42b4e6623e5fcf8fc9dccdd25512342a74b1');
insert into blobs (hash, bytes, put_at) values ('79f076abdd19a752db7267bfff2f9022161d120dea919fdaca2ffdfc24ca8c96', x'6b657074', 1700000000000);
update sqlite_sequence set seq = 2 where name = 'leases';
update sqlite_sequence set seq = 2 where name = 'sessions';
pragma application_id = 1416061300;
pragma user_version = 3;
`;
