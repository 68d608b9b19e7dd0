-- Run once by the image, as its superuser, on an empty data folder: an ordinary role that owns its database, and the
-- extension, which only a superuser may make.
\set ON_ERROR_STOP on
\getenv password PENTARCH_PASSWORD
create role pentarch login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database pentarch owner pentarch;
revoke connect on database pentarch from public;
-- From now on the superuser comes in by the socket alone: docker compose exec postgres psql -U postgres
alter role current_user password null;
\connect pentarch
create extension vector;
