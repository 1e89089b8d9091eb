BEGIN TRANSACTION;
CREATE TABLE remit_answers (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	follows INTEGER NOT NULL, 
	PRIMARY KEY (run, epoch, number, start)
);
CREATE TABLE remit_artifact_contents (
	digest TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (digest)
);
CREATE TABLE remit_artifacts (
	digest TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (digest, tenant, principal, application, conversation, run)
);
CREATE TABLE remit_attached (
	call TEXT NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (call)
);
CREATE TABLE remit_changes (
	number BIGINT NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "remit_changes" VALUES(11);
CREATE TABLE remit_conversations (
	id TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	application TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	target TEXT NOT NULL, 
	given_title TEXT NOT NULL, 
	first_message TEXT NOT NULL, 
	shared TEXT NOT NULL, 
	deletion TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	active FLOAT NOT NULL, 
	first TEXT NOT NULL, 
	latest TEXT NOT NULL, 
	signature BLOB, 
	changed BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "remit_conversations" VALUES('a66d30bdcb0aea1e0bc9663153c4cf2e','default','golden','words','ada','','','Keep bread.','{}','',1800000000.0,1800000062.0,'first','third',X'DCE56C39748BC0FC288C37FF1EB1476A93432D3D70BAADB91BAEDCA2C6FC9B71',9);
CREATE TABLE remit_credentials (
	id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	person TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	label TEXT NOT NULL, 
	permissions TEXT NOT NULL, 
	created FLOAT NOT NULL, 
	expires FLOAT NOT NULL, 
	seen FLOAT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (id)
);
CREATE TABLE remit_grants (
	grant TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	given FLOAT NOT NULL, 
	expires FLOAT NOT NULL, 
	count INTEGER NOT NULL, 
	used INTEGER NOT NULL, 
	revoked TEXT NOT NULL, 
	body TEXT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (grant)
);
CREATE TABLE remit_items (
	run TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	kind TEXT NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	digest BLOB NOT NULL, 
	chain BLOB NOT NULL, 
	PRIMARY KEY (run, seq)
);
INSERT INTO "remit_items" VALUES('first',0,1,1800000000.0,'opened','first','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Keep bread.\"}","conversation":"words","after":"","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Budget.windows_per_hour\":60.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]","held":["*"]}',X'F68400C35BAFAB7674A694A1481AA7D3CC3DE66C655CD514590BFA2151CEA0B0',X'44114F2CDDE53B7AAA45E0FCCC71EF9D6D3A0C17AF5CF860DBF3B0E0CD9DAC39');
INSERT INTO "remit_items" VALUES('first',1,1,1800000003.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'1190A8E9614516E0244D1FA780885F1E4FA85A53E92E292F4908D7FB77E22456',X'DEA438E370D9CF55BD87B6CA205094C0BA78D52A7DF892A1EE465B58C6D84A3E');
INSERT INTO "remit_items" VALUES('first',2,1,1800000004.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"user\",\"content\":\"Keep bread.\"}","by":"person"}',X'F9B5CE7A84378E94D71E0C40B32A4F2042FFEE44D472794F59242F78CFFED66D',X'D40A1EABD081280FAE861D7305D73F7FEC817465F4B5CAF25FF4C6843D7062D5');
INSERT INTO "remit_items" VALUES('first',3,1,1800000005.0,'message','a53770a3ec330c60929d5aa090b6075f:1','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_look\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_1_save\",\"type\":\"function\",\"function\":{\"name\":\"save\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_2_move\",\"type\":\"function\",\"function\":{\"name\":\"move\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_3_nothing\",\"type\":\"function\",\"function\":{\"name\":\"nothing\",\"arguments\":\"{}\"}}]}","request":"d16a04a9422f6b93893464472fc030beeeaaaaf5b28a42d6ea5009beee7d2f49"}',X'BB3129B817EA85DA4FED8403143BF9DE57E11F58251B25C4AE9C0A1921B10EC4',X'CAA653986E0FD93F88917760F7A766F1A31D0A3D1C7AC9B402313B3516280089');
INSERT INTO "remit_items" VALUES('first',4,1,1800000006.0,'usage','a53770a3ec330c60929d5aa090b6075f:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'7179669846D8251E56436E11D2B6AA72450C951BB156196B404B8B00F1DEC3F0');
INSERT INTO "remit_items" VALUES('first',5,1,1800000008.0,'started','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","attempt":1,"definition":"ebe5cdb1989c3ca53ec069ce616040df","pure":true}',X'C69F724E664BAB21DC471EE91D3FEACFD92A2EE39E95A1FEAD448EB788955B08',X'2DDED8987B297B3D7FC4CED3D29D61B0DA5730DAD866A6DD7427768A76423F41');
INSERT INTO "remit_items" VALUES('first',6,1,1800000009.0,'tool_output','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_look\",\"content\":\"bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'29C35A7D08F3D33666D11E294EE7179BE7A2BAA0D5A9B0D8BFDFC9F9F77F3A12',X'4768550D9CF53FF379D08FCB6EB59328E5FD18590A8254BE075C742C0B369866');
INSERT INTO "remit_items" VALUES('first',7,1,1800000011.0,'started','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","attempt":1,"definition":"d369fd18c9ec46c9117ad000214c6ee4"}',X'6C0308D81296C6C8CB476B340137ADC77E1D8238A4078B4C672527333B6A38AF',X'12411718E3881C7B56FF0E8BB55FD8064D431D8538A7907D743786FFFD9554C7');
INSERT INTO "remit_items" VALUES('first',8,1,1800000012.0,'entered','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move"}',X'104103AE57DC05046FFD1FE21E526FC59226BCC50E2EE17E414479CD75AFD26B',X'282C5B30CA0CF98DB2131B620B4D0CD6CAD0648984593EEB4D4796B80523A104');
INSERT INTO "remit_items" VALUES('first',9,1,1800000014.0,'started','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","attempt":1,"definition":"d369fd18c9ec46c9117ad000214c6ee4"}',X'D782C6BEDCACA5A3E783BF166E8140F4CE40B458BD43EC95953210AF1EF7F83B',X'C16078D501E910D7C667112D358408007CDD2B024602F9358D0410AE943B4D01');
INSERT INTO "remit_items" VALUES('first',10,1,1800000016.0,'started','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","attempt":1,"definition":"ec150f879c098c9f41d1689a0a29aa6f","pure":true}',X'5A4ACF27CB05D668F26ECE95CFD3E03AC8E6ED71ABB87DF12182805104EA9CB9',X'F886677667383E548A7D7E022CF0202E3CD6A7D3CD71D3E44D1A4115F936AEF5');
INSERT INTO "remit_items" VALUES('first',11,1,1800000017.0,'ended','8675206449726ca32edb8b7b1532ca01','{"attempt":1,"outcome":"error","content":"{\"success\":false,\"error\":\"there is no tool ''nothing''\",\"errorCode\":\"UNKNOWN_TOOL\"}"}',X'B954782CC5428899E21AF73AF1B835001C951D217B0F683B4BABA60884C87C14',X'56A4CDFB1D0016F76D5F76FC150CCB303CA16D6C623C5B2FFE63704E2480BB1E');
INSERT INTO "remit_items" VALUES('first',12,1,1800000018.0,'tool_output','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_3_nothing\",\"content\":\"{\\\"success\\\":false,\\\"error\\\":\\\"there is no tool ''nothing''\\\",\\\"errorCode\\\":\\\"UNKNOWN_TOOL\\\"}\"}","outcome":"error","final":false}',X'8B18F703054A2E3BC41A9CCECE45C41D473B6600E7F04F97193904665833EAEE',X'5408B443A6C9A7EB01849D2E37131CAC8CA57958F56CF884F863294EF33813D4');
INSERT INTO "remit_items" VALUES('first',13,1,1800000019.0,'note','7c9a3a07133db4c2d9f0776df12d7865','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'16AAD943CF8E91FB71DF56B779B199DDF7301CED971B7529AA16BF10BECAB9F5');
INSERT INTO "remit_items" VALUES('first',14,1,1800000020.0,'ended','7c9a3a07133db4c2d9f0776df12d7865','{"attempt":1,"outcome":"ok","content":"{\"bread\":1}"}',X'D3021F2163A0A6590B3BC0358B20D9F860A368E07127E3351BD372C09E4CB124',X'F587D072A7D2DF208808372235B4EAAF9A2EAB6619B8EB4B5708191A94CAC181');
INSERT INTO "remit_items" VALUES('first',15,1,1800000021.0,'note','4ff5f988d19464a127785963f82f3584','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'937B545BAF9D8330B34EC4B7AE6D0B9FDE4D8B2A376C7D34B5FBC6AAF6A40611');
INSERT INTO "remit_items" VALUES('first',16,1,1800000022.0,'ended','4ff5f988d19464a127785963f82f3584','{"attempt":1,"outcome":"ok","content":"{\"bread\":2}"}',X'6C0B10C899CEF5AA5B47E99AD0C34C0543AAC38F57B5A154BABCCB5B79B22D2B',X'89F24847FDB46CA00356AFCD603F557963DA19247E5975645940C614D6C24E20');
INSERT INTO "remit_items" VALUES('first',17,1,1800000023.0,'tool_output','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_1_save\",\"content\":\"{\\\"bread\\\":1}\"}","outcome":"ok","final":false}',X'EEEDD4F996D4256BA39348308678327E6ED7319C9B9E477D776503D735143C12',X'B5ED75F748A55093B8AC92C00646FF28F943D6FF913247084693D0B64267E658');
INSERT INTO "remit_items" VALUES('first',18,1,1800000024.0,'tool_output','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","wire":"","text":"{\"bread\":2}","outcome":"ok","final":false}',X'63111B91A67E5DC98CF7ACE0E7FB53BF573BC4FB2588F292FFB3655B54E9CE8A',X'1C99DC4554BE547BFDE2C83241B47EBE356B0FC736A4BAF0B51CD4C02B999E95');
INSERT INTO "remit_items" VALUES('first',19,1,1800000026.0,'started','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","attempt":1,"definition":"ebe5cdb1989c3ca53ec069ce616040df","pure":true}',X'F24D12CB98D2EA6E8057764891E96B7D74740599036F10E2C3E9EDF7547058CC',X'B5ADC61A9731F5816AB914353F7790846F8ADB50CBA61BE7A959E7A4796B6FFF');
INSERT INTO "remit_items" VALUES('first',20,1,1800000027.0,'tool_output','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","wire":"","text":"bread: a w\u00f6rd \u2014 \u8a9e","outcome":"ok","final":false}',X'D9CE83592850391C12C9D47C73AED54C18ACE092A66BF9B9645344911337D2EE',X'39668EC54905326E736B60A43FBA5596CE28944B4548E08AD9B2D74332F30107');
INSERT INTO "remit_items" VALUES('first',21,1,1800000028.0,'tool_output','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_2_move\",\"content\":\"moved bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'DF84B931EF41A88F60B160B05D68279843A52F405BA076A055ED7917675A01B2',X'2BFB7EA776EF312C0B035A99BE8859F2699EF607339D4891921EF7B71CD92710');
INSERT INTO "remit_items" VALUES('first',22,1,1800000029.0,'message','a53770a3ec330c60929d5aa090b6075f:2','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":\"Bread is saved.\"}","request":"b31c05e861702e357aa5a3c35f0cd602a7aa944af22e0c8c114e7295b4fd43a2"}',X'D13BBE6808A5A617EF3B62523A3C0CA8CCEE65E40D248D079AC50F8A6F3731A5',X'2F9B71CACADBC9C8D7B15900728A866D6F4BCFC65F44D958BE704AD3E54E6D8C');
INSERT INTO "remit_items" VALUES('first',23,1,1800000030.0,'usage','a53770a3ec330c60929d5aa090b6075f:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'87932042A1F9D5CF091F03A406995837C17750E1A48AD0E2C5DC6939DDFE5843',X'4EE21DB3698C8DC398481F14441F16F20DFF303CFFBA7BD91879582D8BDD5A01');
INSERT INTO "remit_items" VALUES('first',24,1,1800000031.0,'tool_output','a53770a3ec330c60929d5aa090b6075f','{"parent":"","callee":"keeper","wire":"","text":"Bread is saved.","outcome":"ok","final":false}',X'BDC5B8E2ED70327708A2FF8B9675999778E9FCF02DE12A00876C1AA5D922F582',X'826419A05FF1267DD61B64DC98F9AC5511F5CBB978F544E3FB77C93340858515');
INSERT INTO "remit_items" VALUES('first',25,1,1800000032.0,'finished','first','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'BEA720E5281F613790900CBB29B2C0B9738F2AC6E42833EDA07268EA116DCBF5');
INSERT INTO "remit_items" VALUES('second',0,1,1800000033.0,'opened','second','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase bread.\"}","conversation":"words","after":"first","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Budget.windows_per_hour\":60.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]","held":["*"]}',X'91275FC2256B1B978D90B67258585ECBE59B6B59D59DE855A5B4E38C14FFD5F8',X'1FD2A69357DAE521A4A429BB21C78E9E69C43FA181757235432C17DD53FE481E');
INSERT INTO "remit_items" VALUES('second',1,1,1800000036.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'F0DCB0DF71F2F3A9FF0DDE30B278B34C6DDF343648278627D2648DD274C22BFD',X'41067CC0884E292E54463F3701BF5CF6E156F1C1B508A5520C6747943CC7F38A');
INSERT INTO "remit_items" VALUES('second',2,1,1800000037.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"user\",\"content\":\"Erase bread.\"}","by":"person"}',X'57821DB737464B4CA5114ABE70C5B200CF6BB40E3E94EE84C7476CECACBB9385',X'3D33F038A0B21B23C30801EF0139C1828FCE3C7574BB25A9773407C0522F1DD7');
INSERT INTO "remit_items" VALUES('second',3,1,1800000038.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_erase\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}}]}","request":"76a76c1aa3b4dc9d97525317750047f48e9d7c27b9295c4a13c1dbfd4b1201b5"}',X'C20CEE21FE728DA306D3EDB53EAC16AE2C75F150EDB9056DB05C39613AC534DC',X'97C83F9F5114E214A55A147019B4531FF1CC61CACE847C337B09EF7665BBF8FF');
INSERT INTO "remit_items" VALUES('second',4,1,1800000039.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'2D9145ADB112792D63D5E3B6D33FF2BE4200FE7ECF7E811AD12C63A1D64D4672');
INSERT INTO "remit_items" VALUES('second',5,1,1800000044.0,'question','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","about":"approval","question":"18fb0984f3da","body":"{\"id\":\"18fb0984f3da\",\"match\":\"3daf56b8c3aa8521cb1b8e13dcc7711f\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"second\",\"call\":\"62bd659eb4e86ea4a3eadf16703ab969\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"bread\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is high-risk\",\"who\":\"approvals:decide\",\"asked\":1800000041.0,\"expires\":1800604841.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase bread.\",\"news\":[],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[],\"sentence\":{\"parts\":[[\"Erase: word \",false],[\"bread\",true]]},\"consequence\":\"There is no undo for it.\"}"}',X'27A5298965CBAAA9A0B6D11C70DDFF0964F98545BB123E8B2AE52A5FEA08CFEF',X'0F884661CE84035DC32D366756FD5F2295021312CEE8235732D16C0443ED9246');
INSERT INTO "remit_items" VALUES('second',6,1,1800000046.0,'suspended','second','{"questions":["18fb0984f3da"]}',X'DE754BFBF043E7E0587D74B7E638D2280DCA8CEE73490BF29299DCA4F59B620A',X'8C257E5E9E0FE52AB6F195B1EE5F0DF42A494BD4607856E8FFD575AF3473621F');
INSERT INTO "remit_items" VALUES('second',7,2,1800000050.0,'resumed','second','{"driver":"16339-1zre997wnj65"}',X'55F549CA5CA3063739C632F4C4CD86DDADB6C11FF76877893AE264E007517598',X'4909BE244344325CB1698DADEEBD943FB908E23EFE10389A740A55FE538D16A3');
INSERT INTO "remit_items" VALUES('second',8,2,1800000051.0,'decision','62bd659eb4e86ea4a3eadf16703ab969','{"question":"18fb0984f3da","body":"{\"question\":\"18fb0984f3da\",\"approved\":true,\"by\":\"ada\",\"result\":\"\",\"reason\":\"it is stale\",\"at\":1800000047.0,\"arguments\":\"\",\"grant\":\"\",\"kind\":\"approve\"}"}',X'D26E90EC77DADE1758C2DD068EEB3D5E0378FFEABE4520A8292D3D93B7B27E15',X'3DD69380F7ED0FC2F9CD90A360EFEE5B8B733CABD70EA5FA0EEBF9F2F1E98E02');
INSERT INTO "remit_items" VALUES('second',9,2,1800000055.0,'started','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","attempt":1,"question":"18fb0984f3da","definition":"d5798ca9a817d8160c009a653ca84776"}',X'3D44D9DA52BCFDD2DC4F07E49298E14EC27DA9E2C4099D4C0151DC0BD13015D1',X'DC5AB5BD8AA4A899471EF226632A09A9D57EE606AD91CF67BAA7F44BB89077C1');
INSERT INTO "remit_items" VALUES('second',10,2,1800000056.0,'ended','62bd659eb4e86ea4a3eadf16703ab969','{"attempt":1,"outcome":"ok","content":"erased bread"}',X'A65657BBD7ADD0B45715084835EED76713B157612EDDF4DE785712020C59570C',X'67A988F503A7EC21DEC97BDD2CE40CDB3CC853B0A3138F9B8955DD7A3F551199');
INSERT INTO "remit_items" VALUES('second',11,2,1800000057.0,'tool_output','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_erase\",\"content\":\"erased bread\"}","outcome":"ok","final":false}',X'9CE075862F28E1E7146E25B932D3F1AA58A8D1BB6C8E9F04242D3D7F0713CE52',X'AA1DE6EEBCDD46D855AAA822EFA976E5E0AE9BE674E28357E719556A37F983CE');
INSERT INTO "remit_items" VALUES('second',12,2,1800000058.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":\"Bread is erased.\"}","request":"1f72eb7140be6ac75b7ef640e33c08e72cd12d71350976ebb094ebf04a92d413"}',X'DC91114CA1620C9961C042F9012D2B43BC86C3C5684845D1F53425786F7BB71E',X'F4C4D347B568B46A780807030F6CD7285BE5FFB58ADD77BB9068FFBC4F5395E8');
INSERT INTO "remit_items" VALUES('second',13,2,1800000059.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'87932042A1F9D5CF091F03A406995837C17750E1A48AD0E2C5DC6939DDFE5843',X'8A502BBB32957A5E979719C640BE4F9F9772F0C786E9559065818F55EE8A4A4F');
INSERT INTO "remit_items" VALUES('second',14,2,1800000060.0,'tool_output','e5f5ccda5ce3f7ea55435b96bb8e8049','{"parent":"","callee":"keeper","wire":"","text":"Bread is erased.","outcome":"ok","final":false}',X'E74CFF7B656BFB2B34D306A8F9BB48AB2C684E64A7BBA52E2D23858E6BEC6DA8',X'35DC8C17A0F08CBE0FBAFD461198CFC36A5E12B44A30708C09B1C2B4E63D751E');
INSERT INTO "remit_items" VALUES('second',15,2,1800000061.0,'finished','second','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'942934908408F33CE62586A71D06ED1CD115AB0D99BD15C3513ED9DCC0D5CA17');
INSERT INTO "remit_items" VALUES('third',0,1,1800000062.0,'opened','third','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase salt.\"}","conversation":"words","after":"second","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Budget.windows_per_hour\":60.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]","held":["*"]}',X'AADA98B39D75A58DC4CB38FFD1A38D615CFE91565508BFA02DB6D2A0B577DACF',X'BBA4AA7C697E5FEDBD4A0B2385CAB0C2D6646B6BF87B97DDD9EE493334BEFEF4');
INSERT INTO "remit_items" VALUES('third',1,1,1800000065.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'E143C8B58221777B5C4013659C5A436D5A3823D23B5DDFD9F40212C96B6B3A12',X'4970EC48B9CA83941E16EB7C8B87B902D6680B21716EF4443218C1F7B1D1043B');
INSERT INTO "remit_items" VALUES('third',2,1,1800000066.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"user\",\"content\":\"Erase salt.\"}","by":"person"}',X'CB030B8EE569A78F3D48F1F6A431342D5242149AC014E29BBD5406384972DFDC',X'1B72A5CC78D91423B2A820A6E11554AF5A0F5CC1CFEE8D4D38B10C682D46D994');
INSERT INTO "remit_items" VALUES('third',3,1,1800000067.0,'message','1cefc44e168054be3f655e671d292060:1','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call00005\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}},{\"id\":\"call00006\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}}]}","request":"c372baf08662d155ab6423f24f058f87a116685865dddd7d4c6c9f278bbc4040"}',X'3906600F7412E0C37A55E560127C8455A78AE143F3D03F8E418AD00A95899DF7',X'E40B5427C7C7F5A886EF8FF093E7596715D260D3E903B5DF4C38A5FBE9F49C46');
INSERT INTO "remit_items" VALUES('third',4,1,1800000068.0,'usage','1cefc44e168054be3f655e671d292060:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'F10BA1F277AECE3421D9D2CE3FD5806E9AE26704E58069CA354C0DCCB58344CD');
INSERT INTO "remit_items" VALUES('third',5,1,1800000071.0,'started','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call00006","attempt":1,"definition":"ebe5cdb1989c3ca53ec069ce616040df","pure":true}',X'84DABA0A62596ACC0DCED9A415D07BD8835365E5287628B6BF0A7A93F1397344',X'279DAD25DA1008A528381AF136E8D8262C09BE37AFE63CB73DE0CBB4446F03BE');
INSERT INTO "remit_items" VALUES('third',6,1,1800000072.0,'tool_output','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call00006","text":"{\"role\":\"tool\",\"tool_call_id\":\"call00006\",\"content\":\"salt: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'A045257FD973CA1B017D94B550F2EA400D01EB0CBF3BDCF86C7AFB85BF85694F',X'62E00E833B10290BC4F110F2633BC94CE95E947541C2272EFFF9FF749596A411');
INSERT INTO "remit_items" VALUES('third',7,1,1800000076.0,'question','f97360cfa986f5cca82bfaa86ba72579','{"parent":"1cefc44e168054be3f655e671d292060","callee":"erase","wire":"call00005","about":"approval","question":"8e378aee20d6","body":"{\"id\":\"8e378aee20d6\",\"match\":\"73a89a79dd474a3988768e4c7eae8dec\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"third\",\"call\":\"f97360cfa986f5cca82bfaa86ba72579\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"salt\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is high-risk\",\"who\":\"approvals:decide\",\"asked\":1800000073.0,\"expires\":1800604873.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase salt.\",\"news\":[{\"where\":\"word\",\"before\":\"bread\",\"after\":\"salt\"}],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[],\"sentence\":{\"parts\":[[\"Erase: word \",false],[\"salt\",true]]},\"consequence\":\"There is no undo for it.\"}"}',X'86388C32C8A899C5561CF94F55897EC233326ABCB49C58984E355D225778B7AA',X'CB297FBF0C4126B8478689FF53A2401E838AF44C6049F692FDB86F2031439E0B');
INSERT INTO "remit_items" VALUES('third',8,1,1800000078.0,'suspended','third','{"questions":["8e378aee20d6"]}',X'285F4FB6451554B2353234A48DFC2F88544C77E170FFC58C4421224EBAF38BBE',X'1D16CC4824727F516690C0267084028F2FE9B1586E032ACBC2BC3052FDFA72CF');
CREATE TABLE remit_key (
	signature BLOB NOT NULL, 
	PRIMARY KEY (signature)
);
INSERT INTO "remit_key" VALUES(X'6F13BF10F1E76902C0A4943B230027DAFB65AE547E69A8A6638415283FF5F06F');
CREATE TABLE remit_people (
	name TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	roles TEXT NOT NULL, 
	password TEXT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (name)
);
CREATE TABLE remit_questions (
	question TEXT NOT NULL, 
	run TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"match" TEXT NOT NULL, 
	status TEXT NOT NULL, 
	asked FLOAT NOT NULL, 
	body TEXT NOT NULL, 
	decision TEXT NOT NULL, 
	taken_run TEXT NOT NULL, 
	taken_call TEXT NOT NULL, 
	signature BLOB, 
	approval TEXT DEFAULT '' NOT NULL, 
	tenant TEXT DEFAULT '' NOT NULL, 
	request_key TEXT DEFAULT '' NOT NULL, 
	expires FLOAT NOT NULL, 
	changed BIGINT NOT NULL, 
	PRIMARY KEY (question)
);
INSERT INTO "remit_questions" VALUES('18fb0984f3da','second','words','3daf56b8c3aa8521cb1b8e13dcc7711f','taken',1800000041.0,'{"id":"18fb0984f3da","match":"3daf56b8c3aa8521cb1b8e13dcc7711f","kind":"approval","tenant":"default","conversation":"words","run":"second","call":"62bd659eb4e86ea4a3eadf16703ab969","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"bread\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is high-risk","who":"approvals:decide","asked":1800000041.0,"expires":1800604841.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase bread.","news":[],"needs":"approve","plan":[],"within":"","further_permissions":[],"sentence":{"parts":[["Erase: word ",false],["bread",true]]},"consequence":"There is no undo for it."}','{"question":"18fb0984f3da","approved":true,"by":"ada","result":"","reason":"it is stale","at":1800000047.0,"arguments":"","grant":"","kind":"approve"}','second','62bd659eb4e86ea4a3eadf16703ab969',X'A6AA5419ADF1DC0CB85125EF9EBF6BA4F193F7FBBD7A481EC8FCD24B3FC4DB0A','167b378ff9603414eccd0ebc5083aa7f','default','',1800604841.0,7);
INSERT INTO "remit_questions" VALUES('8e378aee20d6','third','words','73a89a79dd474a3988768e4c7eae8dec','open',1800000073.0,'{"id":"8e378aee20d6","match":"73a89a79dd474a3988768e4c7eae8dec","kind":"approval","tenant":"default","conversation":"words","run":"third","call":"f97360cfa986f5cca82bfaa86ba72579","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"salt\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is high-risk","who":"approvals:decide","asked":1800000073.0,"expires":1800604873.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase salt.","news":[{"where":"word","before":"bread","after":"salt"}],"needs":"approve","plan":[],"within":"","further_permissions":[],"sentence":{"parts":[["Erase: word ",false],["salt",true]]},"consequence":"There is no undo for it."}','','','',X'24B6834D13E25BB523938EEEE60C41BE53E6F367556516B897E7104A2A7E9C83','','default','',1800604873.0,10);
CREATE TABLE remit_roles (
	id TEXT NOT NULL, 
	role TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	permissions TEXT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (id)
);
CREATE TABLE remit_run_usage (
	run TEXT NOT NULL, 
	requested TEXT NOT NULL, 
	model TEXT NOT NULL, 
	requests BIGINT NOT NULL, 
	prompt_tokens BIGINT NOT NULL, 
	completion_tokens BIGINT NOT NULL, 
	cached_tokens BIGINT NOT NULL, 
	reasoning_tokens BIGINT NOT NULL, 
	PRIMARY KEY (run, requested, model)
);
INSERT INTO "remit_run_usage" VALUES('first','scripted:scripted (no model)','scripted (no model)',2,0,0,0,0);
INSERT INTO "remit_run_usage" VALUES('second','scripted:scripted (no model)','scripted (no model)',2,0,0,0,0);
INSERT INTO "remit_run_usage" VALUES('third','scripted:scripted (no model)','scripted (no model)',1,0,0,0,0);
CREATE TABLE remit_runs (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	driver TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	next_seq INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	callee TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"after" TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	ended FLOAT NOT NULL, 
	cancelled TEXT NOT NULL, 
	number INTEGER DEFAULT '0' NOT NULL, 
	wake FLOAT DEFAULT '0' NOT NULL, 
	signature BLOB, 
	cancel_signature BLOB, 
	target TEXT DEFAULT '' NOT NULL, 
	erased INTEGER DEFAULT 0 NOT NULL, 
	changed BIGINT NOT NULL, 
	title TEXT DEFAULT '' NOT NULL, 
	calls INTEGER DEFAULT 0 NOT NULL, 
	failed INTEGER DEFAULT (-1) NOT NULL, 
	worked FLOAT DEFAULT 0 NOT NULL, 
	waited FLOAT DEFAULT 0 NOT NULL, 
	active FLOAT DEFAULT 0 NOT NULL, 
	due FLOAT DEFAULT 0 NOT NULL, 
	PRIMARY KEY (run)
);
INSERT INTO "remit_runs" VALUES('first',1,'16339-1zre997wnj65',0.0,26,'done','default','ada','golden','','keeper','words','',1800000000.0,1800000032.0,'',1,0.0,X'4F52794FC7146236E538F7FE5A991187DDF132DE175B726442854781CB986B71',NULL,'',0,2,'Keep bread.',6,12,32.0,0.0,1800000032.0,0.0);
INSERT INTO "remit_runs" VALUES('second',2,'16339-1zre997wnj65',0.0,16,'done','default','ada','golden','','keeper','words','first',1800000033.0,1800000061.0,'',2,0.0,X'70DDC57233F14909C98785EED3786EF5A341E95341EB7160AB9FBAE7D1167568',NULL,'',0,8,'Erase bread.',1,-1,24.0,4.0,1800000061.0,0.0);
INSERT INTO "remit_runs" VALUES('third',1,'16339-1zre997wnj65',0.0,9,'waiting','default','ada','golden','','keeper','words','second',1800000062.0,0.0,'',3,1800604873.0,X'D692EF80957105D18507EF2D877649FB41B9EB6270222F22F05AF54134AB184E',NULL,'',0,11,'Erase salt.',1,-1,16.0,0.0,1800000078.0,0.0);
CREATE TABLE remit_turns (
	rate TEXT NOT NULL, 
	lane INTEGER NOT NULL, 
	start FLOAT NOT NULL, 
	PRIMARY KEY (rate, lane)
);
CREATE TABLE remit_usage (
	tenant TEXT NOT NULL, 
	application TEXT NOT NULL, 
	day INTEGER NOT NULL, 
	principal TEXT NOT NULL, 
	target TEXT NOT NULL, 
	requested TEXT NOT NULL, 
	model TEXT NOT NULL, 
	requests BIGINT NOT NULL, 
	prompt_tokens BIGINT NOT NULL, 
	completion_tokens BIGINT NOT NULL, 
	cached_tokens BIGINT NOT NULL, 
	reasoning_tokens BIGINT NOT NULL, 
	PRIMARY KEY (tenant, application, day, principal, target, requested, model)
);
INSERT INTO "remit_usage" VALUES('default','golden',20833,'ada','','scripted:scripted (no model)','scripted (no model)',4,0,0,0,0);
CREATE TABLE remit_uses (
	subject TEXT NOT NULL, 
	run TEXT NOT NULL, 
	call TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	amount FLOAT NOT NULL, 
	PRIMARY KEY (subject, run, call)
);
CREATE TABLE remit_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT remit_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "remit_version" VALUES('0001_first');
CREATE TABLE remit_watches (
	run TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	PRIMARY KEY (run)
);
CREATE INDEX remit_runs_changed ON remit_runs (tenant, changed);
CREATE INDEX remit_runs_conversation ON remit_runs (conversation, number);
CREATE INDEX remit_runs_tenant ON remit_runs (tenant, opened);
CREATE INDEX remit_runs_principal ON remit_runs (tenant, principal, opened);
CREATE INDEX remit_runs_status ON remit_runs (tenant, status, opened);
CREATE INDEX remit_runs_callee ON remit_runs (tenant, callee, opened);
CREATE INDEX remit_runs_principal_status ON remit_runs (tenant, principal, status, opened);
CREATE INDEX remit_runs_due ON remit_runs (application, wake) WHERE ended = 0;
CREATE INDEX remit_questions_changed ON remit_questions (tenant, changed);
CREATE INDEX remit_questions_expires ON remit_questions (tenant, expires) WHERE status = 'open';
CREATE INDEX remit_questions_match ON remit_questions (conversation, "match");
CREATE INDEX remit_questions_run ON remit_questions (run);
CREATE INDEX remit_questions_approval ON remit_questions (approval, asked, question);
CREATE INDEX remit_questions_tenant ON remit_questions (tenant, asked);
CREATE INDEX remit_questions_key ON remit_questions (request_key);
CREATE INDEX remit_questions_open ON remit_questions (tenant, asked) WHERE status = 'open';
CREATE INDEX remit_grants_tool ON remit_grants (tenant, tool);
CREATE INDEX remit_turns_start ON remit_turns (rate, start);
CREATE INDEX remit_uses_at ON remit_uses (subject, at);
CREATE INDEX remit_conversations_changed ON remit_conversations (tenant, changed);
CREATE INDEX remit_conversations_tenant ON remit_conversations (tenant, active);
CREATE INDEX remit_conversations_owner ON remit_conversations (tenant, owner, active);
CREATE INDEX remit_artifacts_run ON remit_artifacts (run);
CREATE INDEX remit_people_tenant ON remit_people (tenant, name);
CREATE INDEX remit_roles_tenant ON remit_roles (tenant, role);
CREATE UNIQUE INDEX remit_credentials_digest ON remit_credentials (digest);
CREATE INDEX remit_credentials_person ON remit_credentials (person, kind, created);
CREATE INDEX remit_credentials_expires ON remit_credentials (expires);
COMMIT;
