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
INSERT INTO "remit_items" VALUES('first',5,1,1800000008.0,'started','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","attempt":1}',X'BD82CD85E1FE1F6D8686854EFB3A9B91064076F2B3E558EF0085EBB83C93EDEE',X'7856882872A30731DEFC023FBAA4D17938C57C43B0523FDB05BDD8E14710FAAE');
INSERT INTO "remit_items" VALUES('first',6,1,1800000009.0,'tool_output','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_look\",\"content\":\"bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'29C35A7D08F3D33666D11E294EE7179BE7A2BAA0D5A9B0D8BFDFC9F9F77F3A12',X'192FA12C9CBD25691B38508A39451C28AF5E64A6A1E54D7F19436569DFD80122');
INSERT INTO "remit_items" VALUES('first',7,1,1800000011.0,'started','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","attempt":1}',X'35D1FC3CDCE7A06775C00F891D66FB3DF24B604E350146CD7B68819BB35F0444',X'5386512C850E50D1B3478DC05B2756A7FFCCA1CE22123B4026547D5C9777DA29');
INSERT INTO "remit_items" VALUES('first',8,1,1800000012.0,'entered','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move"}',X'104103AE57DC05046FFD1FE21E526FC59226BCC50E2EE17E414479CD75AFD26B',X'3915A965C544F79F5B00B1AF690C70A06A61852B0F1AC6E008EB379D5A5CF534');
INSERT INTO "remit_items" VALUES('first',9,1,1800000014.0,'started','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","attempt":1}',X'8FDB267A2A0F3453FD8FA034356F2F067743B6D3CA08CCCADDEDF56F7CF28108',X'5B1BF9E54BEB4AD11B113EFB21972A5D8231D74971544D13BAE566FB7B59E132');
INSERT INTO "remit_items" VALUES('first',10,1,1800000016.0,'started','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","attempt":1}',X'CFFEB9144839B7B83EB05B7F3D9B25634B61F30A610378EF01DEB49E27230092',X'EB842D637ADAC4F34B0E8577A9033C539FC59AC0889F46EFAA2BC268C3405F9C');
INSERT INTO "remit_items" VALUES('first',11,1,1800000017.0,'ended','8675206449726ca32edb8b7b1532ca01','{"attempt":1,"outcome":"error","content":"{\"success\":false,\"error\":\"there is no tool ''nothing''\",\"errorCode\":\"UNKNOWN_TOOL\"}"}',X'B954782CC5428899E21AF73AF1B835001C951D217B0F683B4BABA60884C87C14',X'5B84357BA084CC4847A63D1E85927A8FAA97FB3F5ABEA6789322033C44018912');
INSERT INTO "remit_items" VALUES('first',12,1,1800000018.0,'tool_output','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_3_nothing\",\"content\":\"{\\\"success\\\":false,\\\"error\\\":\\\"there is no tool ''nothing''\\\",\\\"errorCode\\\":\\\"UNKNOWN_TOOL\\\"}\"}","outcome":"error","final":false}',X'8B18F703054A2E3BC41A9CCECE45C41D473B6600E7F04F97193904665833EAEE',X'6A7A537A25473C7839E6356375747119577F78AE033853564DFBD300DF3DB995');
INSERT INTO "remit_items" VALUES('first',13,1,1800000019.0,'note','7c9a3a07133db4c2d9f0776df12d7865','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'79BF9C2BAA22547EF6B9CC1ED39E89594CDA989223B039CA15B18D0FEEB6CB6B');
INSERT INTO "remit_items" VALUES('first',14,1,1800000020.0,'ended','7c9a3a07133db4c2d9f0776df12d7865','{"attempt":1,"outcome":"ok","content":"{\"bread\":1}"}',X'D3021F2163A0A6590B3BC0358B20D9F860A368E07127E3351BD372C09E4CB124',X'928FE70C2100DB5A862EADEF9AE272619CBBD874429C6D417510703942112230');
INSERT INTO "remit_items" VALUES('first',15,1,1800000021.0,'note','4ff5f988d19464a127785963f82f3584','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'5C990B8627B921C7F494C2794882210A8D6B473B3C48C179B7C324F8D82E5DB2');
INSERT INTO "remit_items" VALUES('first',16,1,1800000022.0,'ended','4ff5f988d19464a127785963f82f3584','{"attempt":1,"outcome":"ok","content":"{\"bread\":2}"}',X'6C0B10C899CEF5AA5B47E99AD0C34C0543AAC38F57B5A154BABCCB5B79B22D2B',X'4DBA41BCBEF95E3B4F84D09D79056264FB1C0944288AB9B3D5113488EE90C792');
INSERT INTO "remit_items" VALUES('first',17,1,1800000023.0,'tool_output','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_1_save\",\"content\":\"{\\\"bread\\\":1}\"}","outcome":"ok","final":false}',X'EEEDD4F996D4256BA39348308678327E6ED7319C9B9E477D776503D735143C12',X'16CB6190C4B6EBE37E851CD39A973041089285E55B69D6C93C2486E3FA1A0B54');
INSERT INTO "remit_items" VALUES('first',18,1,1800000024.0,'tool_output','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","wire":"","text":"{\"bread\":2}","outcome":"ok","final":false}',X'63111B91A67E5DC98CF7ACE0E7FB53BF573BC4FB2588F292FFB3655B54E9CE8A',X'247DE220274CBD09E97EC5CBF5C192E638883D5121E75DED1224DD20B37558C5');
INSERT INTO "remit_items" VALUES('first',19,1,1800000026.0,'started','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","attempt":1}',X'32B4ECF83595408B0185097B09F989A814C8CD3280BFE5F6D0FFCE2B238FF3F7',X'C38FE2036B7B141A721F51705EB32121CA5FAF5B883F9FB1FE7ED95A775026B5');
INSERT INTO "remit_items" VALUES('first',20,1,1800000027.0,'tool_output','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","wire":"","text":"bread: a w\u00f6rd \u2014 \u8a9e","outcome":"ok","final":false}',X'D9CE83592850391C12C9D47C73AED54C18ACE092A66BF9B9645344911337D2EE',X'1563E413BC8DC7326EED104F4BD5AB41F860CD24BE5A836B31F3C0C536008B0F');
INSERT INTO "remit_items" VALUES('first',21,1,1800000028.0,'tool_output','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_2_move\",\"content\":\"moved bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'DF84B931EF41A88F60B160B05D68279843A52F405BA076A055ED7917675A01B2',X'F58F476B64AB094825659FA3DE214FBDF79BA779DC5565FAE472736BFC34377C');
INSERT INTO "remit_items" VALUES('first',22,1,1800000029.0,'message','a53770a3ec330c60929d5aa090b6075f:2','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":\"Bread is saved.\"}","request":"b31c05e861702e357aa5a3c35f0cd602a7aa944af22e0c8c114e7295b4fd43a2"}',X'D13BBE6808A5A617EF3B62523A3C0CA8CCEE65E40D248D079AC50F8A6F3731A5',X'E7754580E71C6DADB8F5B572802EA781C8EBD2AB21C065A19AEAA997B460CEC2');
INSERT INTO "remit_items" VALUES('first',23,1,1800000030.0,'usage','a53770a3ec330c60929d5aa090b6075f:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'87932042A1F9D5CF091F03A406995837C17750E1A48AD0E2C5DC6939DDFE5843',X'4AF2F97D6E65E13259230C006B8AE393F4B437E4025CD9F1A90FC38F15E98913');
INSERT INTO "remit_items" VALUES('first',24,1,1800000031.0,'tool_output','a53770a3ec330c60929d5aa090b6075f','{"parent":"","callee":"keeper","wire":"","text":"Bread is saved.","outcome":"ok","final":false}',X'BDC5B8E2ED70327708A2FF8B9675999778E9FCF02DE12A00876C1AA5D922F582',X'6A37821C33F67AC94B229186FD9E403C8F2ECBEC39C9B626FEA293A068377078');
INSERT INTO "remit_items" VALUES('first',25,1,1800000032.0,'finished','first','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'3C17983E82766408FAA43D5F9ADF08257143973200B7629C93A60D8A8F07FAD8');
INSERT INTO "remit_items" VALUES('second',0,1,1800000033.0,'opened','second','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase bread.\"}","conversation":"words","after":"first","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Budget.windows_per_hour\":60.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]","held":["*"]}',X'91275FC2256B1B978D90B67258585ECBE59B6B59D59DE855A5B4E38C14FFD5F8',X'1FD2A69357DAE521A4A429BB21C78E9E69C43FA181757235432C17DD53FE481E');
INSERT INTO "remit_items" VALUES('second',1,1,1800000036.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'F0DCB0DF71F2F3A9FF0DDE30B278B34C6DDF343648278627D2648DD274C22BFD',X'41067CC0884E292E54463F3701BF5CF6E156F1C1B508A5520C6747943CC7F38A');
INSERT INTO "remit_items" VALUES('second',2,1,1800000037.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"user\",\"content\":\"Erase bread.\"}","by":"person"}',X'57821DB737464B4CA5114ABE70C5B200CF6BB40E3E94EE84C7476CECACBB9385',X'3D33F038A0B21B23C30801EF0139C1828FCE3C7574BB25A9773407C0522F1DD7');
INSERT INTO "remit_items" VALUES('second',3,1,1800000038.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_erase\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}}]}","request":"76a76c1aa3b4dc9d97525317750047f48e9d7c27b9295c4a13c1dbfd4b1201b5"}',X'C20CEE21FE728DA306D3EDB53EAC16AE2C75F150EDB9056DB05C39613AC534DC',X'97C83F9F5114E214A55A147019B4531FF1CC61CACE847C337B09EF7665BBF8FF');
INSERT INTO "remit_items" VALUES('second',4,1,1800000039.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'2D9145ADB112792D63D5E3B6D33FF2BE4200FE7ECF7E811AD12C63A1D64D4672');
INSERT INTO "remit_items" VALUES('second',5,1,1800000044.0,'question','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","about":"approval","question":"18fb0984f3da","body":"{\"id\":\"18fb0984f3da\",\"match\":\"3daf56b8c3aa8521cb1b8e13dcc7711f\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"second\",\"call\":\"62bd659eb4e86ea4a3eadf16703ab969\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"bread\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is high-risk\",\"who\":\"approvals:decide\",\"asked\":1800000041.0,\"expires\":1800604841.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase bread.\",\"news\":[],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[]}"}',X'D52BF49F8A303CC9EE2EEC42693DB5CC79EF64B9389B1EB6CE5391449AEC6DB7',X'79E37EF0F42A947FB0E11A6034D8C330CAF407A613716BBF17C68CF12825E9FC');
INSERT INTO "remit_items" VALUES('second',6,1,1800000046.0,'suspended','second','{"questions":["18fb0984f3da"]}',X'DE754BFBF043E7E0587D74B7E638D2280DCA8CEE73490BF29299DCA4F59B620A',X'954B2DD215B63DF3D2F1EEF7F605C77C67CF18CBD80FF5B4CA65110CEDC01199');
INSERT INTO "remit_items" VALUES('second',7,2,1800000050.0,'resumed','second','{"driver":"24737-pncbc9vbem28"}',X'80B86450C7CED5F6E83BD0058496F2B37F4F401F91C3F88EE483304D86477420',X'561FD14BBCD695E08F3D2C8D31065A816A94D760694A319D8FA671E63AE14869');
INSERT INTO "remit_items" VALUES('second',8,2,1800000051.0,'decision','62bd659eb4e86ea4a3eadf16703ab969','{"question":"18fb0984f3da","body":"{\"question\":\"18fb0984f3da\",\"approved\":true,\"by\":\"ada\",\"result\":\"\",\"reason\":\"it is stale\",\"at\":1800000047.0,\"arguments\":\"\",\"grant\":\"\",\"kind\":\"approve\"}"}',X'D26E90EC77DADE1758C2DD068EEB3D5E0378FFEABE4520A8292D3D93B7B27E15',X'43F2F7CFCE7115309B600C108A804E4665B345EBC30A62F3D0F98F739D949458');
INSERT INTO "remit_items" VALUES('second',9,2,1800000055.0,'started','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","attempt":1,"question":"18fb0984f3da"}',X'8F1231FA1974B92419346B8F55B0F157B4D78A3AC9652ABFC67284D8BDEE74E6',X'0B45C7BE9ED6145C659A33C0AD4AE2F0E546CD3262A413EFAF347910001759D9');
INSERT INTO "remit_items" VALUES('second',10,2,1800000056.0,'ended','62bd659eb4e86ea4a3eadf16703ab969','{"attempt":1,"outcome":"ok","content":"erased bread"}',X'A65657BBD7ADD0B45715084835EED76713B157612EDDF4DE785712020C59570C',X'52967C31C9DBFE3BC5D21D40BF9FC027307509731BBFF0E2BEA55BDE8F0960C8');
INSERT INTO "remit_items" VALUES('second',11,2,1800000057.0,'tool_output','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_erase\",\"content\":\"erased bread\"}","outcome":"ok","final":false}',X'9CE075862F28E1E7146E25B932D3F1AA58A8D1BB6C8E9F04242D3D7F0713CE52',X'4D056AA812F124C4080131433BDFFE33B8D6B82D55FA6A9635C0175BABF4852E');
INSERT INTO "remit_items" VALUES('second',12,2,1800000058.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":\"Bread is erased.\"}","request":"1f72eb7140be6ac75b7ef640e33c08e72cd12d71350976ebb094ebf04a92d413"}',X'DC91114CA1620C9961C042F9012D2B43BC86C3C5684845D1F53425786F7BB71E',X'D7643C68467783DA7B2166AE484098B559CA2FEEDFBB1A904617D465D720C78A');
INSERT INTO "remit_items" VALUES('second',13,2,1800000059.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'87932042A1F9D5CF091F03A406995837C17750E1A48AD0E2C5DC6939DDFE5843',X'7EDA4E1BD41018A70FFD5C7AB2089B572E2DF7F60DBA670D96BE8A72B5CD9960');
INSERT INTO "remit_items" VALUES('second',14,2,1800000060.0,'tool_output','e5f5ccda5ce3f7ea55435b96bb8e8049','{"parent":"","callee":"keeper","wire":"","text":"Bread is erased.","outcome":"ok","final":false}',X'E74CFF7B656BFB2B34D306A8F9BB48AB2C684E64A7BBA52E2D23858E6BEC6DA8',X'2D2679FBFD51843D3E91DB9270A3ADD29424F3DD97E8995E6674D9BD28D41DB7');
INSERT INTO "remit_items" VALUES('second',15,2,1800000061.0,'finished','second','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'C0654DB15F434871ED3FCCEC317B9D8486A4811DEB16F515574E959BC13E23D7');
INSERT INTO "remit_items" VALUES('third',0,1,1800000062.0,'opened','third','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase salt.\"}","conversation":"words","after":"second","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Budget.windows_per_hour\":60.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]","held":["*"]}',X'AADA98B39D75A58DC4CB38FFD1A38D615CFE91565508BFA02DB6D2A0B577DACF',X'BBA4AA7C697E5FEDBD4A0B2385CAB0C2D6646B6BF87B97DDD9EE493334BEFEF4');
INSERT INTO "remit_items" VALUES('third',1,1,1800000065.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'E143C8B58221777B5C4013659C5A436D5A3823D23B5DDFD9F40212C96B6B3A12',X'4970EC48B9CA83941E16EB7C8B87B902D6680B21716EF4443218C1F7B1D1043B');
INSERT INTO "remit_items" VALUES('third',2,1,1800000066.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"user\",\"content\":\"Erase salt.\"}","by":"person"}',X'CB030B8EE569A78F3D48F1F6A431342D5242149AC014E29BBD5406384972DFDC',X'1B72A5CC78D91423B2A820A6E11554AF5A0F5CC1CFEE8D4D38B10C682D46D994');
INSERT INTO "remit_items" VALUES('third',3,1,1800000067.0,'message','1cefc44e168054be3f655e671d292060:1','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call00005\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}},{\"id\":\"call00006\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}}]}","request":"c372baf08662d155ab6423f24f058f87a116685865dddd7d4c6c9f278bbc4040"}',X'3906600F7412E0C37A55E560127C8455A78AE143F3D03F8E418AD00A95899DF7',X'E40B5427C7C7F5A886EF8FF093E7596715D260D3E903B5DF4C38A5FBE9F49C46');
INSERT INTO "remit_items" VALUES('third',4,1,1800000068.0,'usage','1cefc44e168054be3f655e671d292060:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'F10BA1F277AECE3421D9D2CE3FD5806E9AE26704E58069CA354C0DCCB58344CD');
INSERT INTO "remit_items" VALUES('third',5,1,1800000071.0,'started','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call00006","attempt":1}',X'554E14D11D48F0A8F388C66D23E401FF93FFE0FFAE140EDF7BD32280F6678DA8',X'FD78CEB0AF4D5604105CA3CD8A022643BE349AD39505FAFC3B40C5BC1F6C732F');
INSERT INTO "remit_items" VALUES('third',6,1,1800000072.0,'tool_output','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call00006","text":"{\"role\":\"tool\",\"tool_call_id\":\"call00006\",\"content\":\"salt: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'A045257FD973CA1B017D94B550F2EA400D01EB0CBF3BDCF86C7AFB85BF85694F',X'12E7C5F80B537C7C3EB5EA1641F96104C59051D423527D837843A8CAC54C5061');
INSERT INTO "remit_items" VALUES('third',7,1,1800000076.0,'question','f97360cfa986f5cca82bfaa86ba72579','{"parent":"1cefc44e168054be3f655e671d292060","callee":"erase","wire":"call00005","about":"approval","question":"8e378aee20d6","body":"{\"id\":\"8e378aee20d6\",\"match\":\"73a89a79dd474a3988768e4c7eae8dec\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"third\",\"call\":\"f97360cfa986f5cca82bfaa86ba72579\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"salt\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is high-risk\",\"who\":\"approvals:decide\",\"asked\":1800000073.0,\"expires\":1800604873.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase salt.\",\"news\":[{\"where\":\"word\",\"before\":\"\\\"bread\\\"\",\"after\":\"\\\"salt\\\"\"}],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[]}"}',X'56EF89ED82482F8B7CF727EBF6AE0E278DAAEB62ED611439A77FEED7EE4EA053',X'4AD93D907212DA83AD144E7730DEDF9840625700F26C2A66554E963780ABC342');
INSERT INTO "remit_items" VALUES('third',8,1,1800000078.0,'suspended','third','{"questions":["8e378aee20d6"]}',X'285F4FB6451554B2353234A48DFC2F88544C77E170FFC58C4421224EBAF38BBE',X'2CEB8838954BC0B726B5E1F13931A00F005A939B545971BB285A3D830A2F2360');
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
INSERT INTO "remit_questions" VALUES('18fb0984f3da','second','words','3daf56b8c3aa8521cb1b8e13dcc7711f','taken',1800000041.0,'{"id":"18fb0984f3da","match":"3daf56b8c3aa8521cb1b8e13dcc7711f","kind":"approval","tenant":"default","conversation":"words","run":"second","call":"62bd659eb4e86ea4a3eadf16703ab969","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"bread\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is high-risk","who":"approvals:decide","asked":1800000041.0,"expires":1800604841.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase bread.","news":[],"needs":"approve","plan":[],"within":"","further_permissions":[]}','{"question":"18fb0984f3da","approved":true,"by":"ada","result":"","reason":"it is stale","at":1800000047.0,"arguments":"","grant":"","kind":"approve"}','second','62bd659eb4e86ea4a3eadf16703ab969',X'DA5E80A92848FB1A97C67B292AE32D685975C548D99CDE71465D15AB9B1810AC','167b378ff9603414eccd0ebc5083aa7f','default','',1800604841.0,7);
INSERT INTO "remit_questions" VALUES('8e378aee20d6','third','words','73a89a79dd474a3988768e4c7eae8dec','open',1800000073.0,'{"id":"8e378aee20d6","match":"73a89a79dd474a3988768e4c7eae8dec","kind":"approval","tenant":"default","conversation":"words","run":"third","call":"f97360cfa986f5cca82bfaa86ba72579","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"salt\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is high-risk","who":"approvals:decide","asked":1800000073.0,"expires":1800604873.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase salt.","news":[{"where":"word","before":"\"bread\"","after":"\"salt\""}],"needs":"approve","plan":[],"within":"","further_permissions":[]}','','','',X'2E4E539A3387A7C50BD75A3F9A86C5C93454C09C00F9E7A933278B8EDB6D60AB','','default','',1800604873.0,10);
CREATE TABLE remit_roles (
	role TEXT NOT NULL, 
	permissions TEXT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (role)
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
INSERT INTO "remit_runs" VALUES('first',1,'24737-pncbc9vbem28',0.0,26,'done','default','ada','golden','','keeper','words','',1800000000.0,1800000032.0,'',1,0.0,X'105BAC78E844B5816E35312A8BBE328EBA74E789A5AC713DF46BDD224A567F6B',NULL,'',0,2,'Keep bread.',6,12,32.0,0.0,1800000032.0,0.0);
INSERT INTO "remit_runs" VALUES('second',2,'24737-pncbc9vbem28',0.0,16,'done','default','ada','golden','','keeper','words','first',1800000033.0,1800000061.0,'',2,0.0,X'83DF0A1D07B10590D2AD500ED2B097D7FF36038877CCB690E653E34D9879B7BF',NULL,'',0,8,'Erase bread.',1,-1,24.0,4.0,1800000061.0,0.0);
INSERT INTO "remit_runs" VALUES('third',1,'24737-pncbc9vbem28',0.0,9,'waiting','default','ada','golden','','keeper','words','second',1800000062.0,0.0,'',3,1800604873.0,X'A40F037A7031861A9E5AE91A7364C7832DEEAA10B7D379719F0C22E85719D0E6',NULL,'',0,11,'Erase salt.',1,-1,16.0,0.0,1800000078.0,0.0);
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
CREATE INDEX remit_conversations_changed ON remit_conversations (tenant, changed);
CREATE INDEX remit_conversations_tenant ON remit_conversations (tenant, active);
CREATE INDEX remit_conversations_owner ON remit_conversations (tenant, owner, active);
CREATE INDEX remit_artifacts_run ON remit_artifacts (run);
CREATE INDEX remit_people_tenant ON remit_people (tenant, name);
CREATE UNIQUE INDEX remit_credentials_digest ON remit_credentials (digest);
CREATE INDEX remit_credentials_person ON remit_credentials (person, kind, created);
CREATE INDEX remit_credentials_expires ON remit_credentials (expires);
COMMIT;
